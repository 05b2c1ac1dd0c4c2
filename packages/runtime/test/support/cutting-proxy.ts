import net from 'node:net';

import { onTestFinished } from 'vitest';

import { postgresUrl } from './postgres-jobs.js';
import { gate } from './until.js';

/** A way to the server that can lose an answer. */
export interface CuttingProxy {
  /** The server's address by way of the proxy. */
  readonly url: string;
  /**
   * The next time a client sends something that contains the text, the server gets it and executes
   * it, but both ends of the connection are gone before the client hears of it. Resolves then.
   */
  loseAnswerTo(text: string): Promise<void>;
  /** From now on, what clients and server send does not arrive; connections stay. */
  freeze(): void;
  /** Resolves when something that a client sent has been lost to the freezing. */
  readonly lostSomething: Promise<void>;
  /** New connections pass again; what was sent meanwhile is lost. */
  thaw(): void;
}

/** Starts a proxy before the server, on a port of its own; it ends with the test. */
export async function cuttingProxy(): Promise<CuttingProxy> {
  const target = new URL(postgresUrl());
  const sockets = new Set<net.Socket>();
  const lost = gate();
  let frozen = false;
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
      if (frozen) {
        lost.open();
        return;
      }
      if (armed !== undefined && data.includes(armed.text)) {
        cutting = armed.tell;
        armed = undefined;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (frozen) return;
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
    lostSomething: lost.passed,
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
    },
  };
}
