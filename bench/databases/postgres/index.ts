import type { Bench } from '../../bench.js';
import { advisoryBench } from './advisory.js';
import { leaseBench } from './lease.js';
import { rowLockBench } from './row-lock.js';
import { openServer } from './server.js';

/** Postgres at `POSTGRES_URL`. */
export async function openPostgres(): Promise<Bench> {
  const server = await openServer();
  return {
    ...server,
    forms: {
      lease: leaseBench(server),
      'row-lock': rowLockBench(server),
      advisory: advisoryBench(server),
    },
  };
}
