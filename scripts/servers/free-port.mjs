// @ts-check
import { createServer } from 'node:net';

/**
 * A port of the loopback interface that is free at this moment. Somebody else may take it before it
 * is used: whoever starts a server on it must be ready to ask for another.
 *
 * @returns {Promise<number>}
 */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') {
          reject(new Error('the loopback interface gave no port'));
        } else {
          resolve(address.port);
        }
      });
    });
  });
}
