import { InboxError } from '../../errors/inbox-error.js';
import type { DriverTable } from '../tables.js';
import { watched } from './clients.js';
import { asError, type PgHeldClient } from './held-client.js';
import { plainQuery, type PgClient, type PgRow } from './pool.js';
import type { PgSession } from './session.js';

const readBackend = plainQuery('SELECT pg_backend_pid()::text');

/** How often both clients ask which backend serves them. */
const rounds = 3;

/** How long a second client is waited for; a pool that is busy has none. */
const secondClientTimeout = 3_000;

/**
 * Rejects with `pooler-unsupported` where a pooler hands out server sessions by the transaction, so
 * that a session's lock would stay behind on one that others get. It shows when a client is served
 * by another backend than before, or two clients by the same. Where it does not show, settlements
 * still change nothing without the lock.
 *
 * Where `pid`, what the driver was told when `client` connected, is the backend itself, there is no
 * pooler, and that is one query.
 */
export async function refusePooler(
  session: PgSession,
  { queue, table }: DriverTable,
  client: PgClient,
  pid: number | undefined,
): Promise<void> {
  const first = await backendOf(client);
  if (pid === undefined || first === String(pid)) return;
  if (!(await changesHands(session, client, first))) return;
  throw new InboxError(
    'pooler-unsupported',
    `Queue ${queue}: the pool of table ${table} leads to a pooler that hands out sessions by the transaction (PgBouncer: pool_mode = transaction), where the lock of an advisory queue would be left behind on a session of others. Connect to the server itself or to a pooler in session mode, or use the lease or row-lock form.`,
    { queue },
  );
}

async function changesHands(
  session: PgSession,
  client: PgClient,
  before: string,
): Promise<boolean> {
  let held: PgHeldClient | undefined;
  try {
    if (session.poolSize > 1) held = await session.checkOut(secondClientTimeout);
  } catch {
    // Then only the first client is asked.
  }
  try {
    for (let round = 0; round < rounds; round += 1) {
      if (held !== undefined && (await backendOf(watched(held, session.answerTimeout))) === before)
        return true;
      if ((await backendOf(client)) !== before) return true;
    }
    return false;
  } catch (error) {
    held?.close(asError(error));
    throw error;
  } finally {
    held?.giveBack();
  }
}

async function backendOf(client: PgClient): Promise<string> {
  const [row] = (await client.query(readBackend)).rows as readonly PgRow[];
  return row?.[0] ?? '';
}
