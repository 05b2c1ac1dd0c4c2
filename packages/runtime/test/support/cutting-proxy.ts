import net from 'node:net';

import { onTestFinished } from 'vitest';

import { postgresUrl } from './postgres-jobs.js';

/** A way to the server that can lose an answer. */
export interface CuttingProxy {
  /** The server's address by way of the proxy. */
  readonly url: string;
  /**
   * The next time a client sends something that contains the text, the server gets it and executes
   * it, but both ends of the connection are gone before the client hears of it. Resolves then.
   */
  loseAnswerTo(text: string): Promise<void>;
}

/** Starts a proxy before the server, on a port of its own; it ends with the test. */
export async function cuttingProxy(): Promise<CuttingProxy> {
  const target = new URL(postgresUrl());
  const sockets = new Set<net.Socket>();
  let armed: { readonly text: string; readonly tell: () => void } | undefined;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port || 5432), target.hostname);
    let cutting: (() => void) | undefined;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (data) => {
      if (armed !== undefined && data.includes(armed.text)) {
        cutting = armed.tell;
        armed = undefined;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (cutting === undefined) {
        client.write(data);
      } else {
        // The server answers when it has committed.
        end();
        cutting();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  return {
    url: url.href,
    loseAnswerTo: (text) =>
      new Promise((resolve) => {
        armed = { text, tell: resolve };
      }),
  };
}
