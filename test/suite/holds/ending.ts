import { setTimeout as delay } from 'node:timers/promises';

import type { InboxEvent } from 'inbox-runtime';
import { describe, expect, it } from 'vitest';

import type { ServerBench, ServerStand, SessionSettings } from '../../databases/bench.js';
import { gate, until } from '../support.js';
import {
  claimOne,
  claimWhenFree,
  counted,
  expectNothingHeld,
  heldAttempt,
  numbers,
  openHoldStand,
  showRows,
  shown,
  untilEmpty,
} from './support.js';
import type { HoldQueue, HoldTable } from './table.js';

/** What ends a session or a statement from outside. */
interface Ending {
  readonly title: string;
  readonly settings: SessionSettings;
  /** Brings it about; nothing where the server does by itself. */
  readonly bring: (stand: ServerStand) => Promise<void>;
}

const terminated: Ending = {
  title: 'its session is ended by an administrator',
  settings: {},
  bring: (stand) => stand.endSessions(),
};

const idleTooLong: Ending = {
  title: 'its session is ended by the server for being quiet too long',
  settings: { idleLimit: 1 },
  bring: () => Promise.resolve(),
};

const statementTooLong: Ending = {
  title: 'its statement is ended by the server for taking too long',
  settings: { statementLimit: 1 },
  bring: () => Promise.resolve(),
};

/** Has every DELETE of a row wait: its child is locked. The answer lets them pass. */
export async function holdUpDeletes(
  stand: ServerStand,
  { table }: HoldTable,
): Promise<() => Promise<void>> {
  await stand.run(
    `CREATE TABLE pages (job BIGINT NOT NULL,
       FOREIGN KEY (job) REFERENCES ${table} (id) ON DELETE CASCADE)`,
  );
  await stand.run(`INSERT INTO pages SELECT id FROM ${table}`);
  const session = await stand.session();
  await session.run('BEGIN');
  await session.run('SELECT * FROM pages FOR UPDATE');
  return () => session.run('ROLLBACK');
}

/**
 * The attempts of a row whose session ended so many times, and of the delivery after those. Sessions
 * end one after the other, and one that is still to end may have the row next.
 */
function afterCrashes(table: HoldTable, crashes: number): readonly (number | null)[] {
  const step = (table.afterCrash ?? 1) - 1;
  return Array.from({ length: crashes + 1 }, (_, n) => counted(table, 1 + n * step));
}

/** What becomes of rows, handlers and locks when sessions or statements end under them. */
export function describeHoldEnding(bench: ServerBench, table: HoldTable): void {
  const connect = (stand: ServerStand, { settings }: Ending): HoldQueue =>
    table.queue(stand.connectWith(settings).database);

  describe('a delivery', () => {
    it.each([terminated, statementTooLong])(
      'whose claim is in flight when $title: the claim fails, and holds nothing',
      async (ending) => {
        const stand = await openHoldStand(bench);
        const queue = connect(stand, ending);
        await queue.check();
        await queue.add([1]);
        const other = await stand.session();
        await other.run(bench.lockTable(table.table));
        const claim = queue.claim();
        const failed = expect(claim).rejects.toMatchObject({ code: 'claim-failed' });
        await until('it waits', async () => (await stand.waiting()) > 0);
        await ending.bring(stand);
        await failed;
        await other.run(bench.unlockTable);
        await expectNothingHeld(stand);
        const delivery = await claimWhenFree(queue);
        expect(delivery.attempt).toBe(counted(table, 1));
        await delivery.ack();
      },
    );

    it('is claimed a second after a claim that failed', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const failures: number[] = [];
      const worker = queue.work(() => undefined, {
        poll: '5ms',
        on: ({ kind }) => {
          if (kind === 'claim-failed') failures.push(performance.now());
        },
      });
      await worker.ready;
      await queue.add([1]);
      await untilEmpty(stand, table);
      await stand.run(`ALTER TABLE ${table.table} RENAME TO put_away`);
      await until('two claims have failed', () => failures.length >= 2);
      await stand.run(`ALTER TABLE put_away RENAME TO ${table.table}`);
      await queue.add([2]);
      await untilEmpty(stand, table);
      await worker.stop();
      expect((failures[1] ?? 0) - (failures[0] ?? 0)).toBeGreaterThanOrEqual(950);
    });

    it.each([terminated, idleTooLong])(
      'whose handler runs when $title: it is told, its outcome counts for nothing, and the row returns',
      async (ending) => {
        const stand = await openHoldStand(bench);
        const [id] = await table.queue(stand.connect()).add([1]);
        const events: InboxEvent[] = [];
        const attempts: unknown[] = [];
        const aborted = gate<unknown>();
        const leave = gate();
        const worker = connect(stand, ending).work(
          async (_, { attempt, signal }) => {
            attempts.push(attempt);
            if (attempts.length > 1) return;
            signal.addEventListener('abort', () => {
              aborted.open(signal.reason);
            });
            await leave.passed;
          },
          {
            concurrency: 2,
            poll: '20ms',
            on: (event) => {
              events.push(event);
            },
          },
        );
        await until('the handler runs', () => attempts.length === 1);
        await ending.bring(stand);
        expect(await aborted.passed).toMatchObject({ code: table.lostCode, id });
        await untilEmpty(stand, table);
        // Only now does the first handler acknowledge what is no longer its row.
        leave.open();
        await until('the first has ended', () => worker.stats().running === 0);
        const tally = await worker.stop();
        expect(attempts).toEqual(afterCrashes(table, attempts.length - 1));
        expect(tally).toMatchObject({ acked: 1, lost: attempts.length - 1, unsettled: 0 });
        expect(events.filter(({ kind }) => kind === 'lost')).toHaveLength(tally.lost);
      },
    );

    it('whose handler runs longer than a statement may loses nothing', async () => {
      const stand = await openHoldStand(bench);
      const queue = connect(stand, statementTooLong);
      await queue.add([1]);
      const attempts: unknown[] = [];
      const worker = queue.work(
        async (_, { attempt }) => {
          attempts.push(attempt);
          await delay(1_500);
        },
        { poll: '20ms' },
      );
      await untilEmpty(stand, table);
      expect(await worker.stop()).toMatchObject({ claimed: 1, acked: 1 });
      expect(attempts).toEqual([counted(table, 1)]);
    });

    it.each([terminated, statementTooLong])(
      'whose acknowledgement is in flight when $title: it is not acknowledged, and the row returns',
      async (ending) => {
        const stand = await openHoldStand(bench);
        await table.queue(stand.connect()).add([1]);
        const pass = await holdUpDeletes(stand, table);
        const attempts: unknown[] = [];
        const worker = connect(stand, ending).work(
          async (_, { attempt }) => {
            attempts.push(attempt);
            // The second is delivered while the child is still locked, and must not hang on it.
            if (attempts.length > 1) await pass();
          },
          { poll: '20ms', backoff: () => 10 },
        );
        await until('its acknowledgement waits', async () => (await stand.waiting()) > 0);
        await ending.bring(stand);
        await untilEmpty(stand, table, 20_000);
        const tally = await worker.stop();
        expect(attempts).toEqual(afterCrashes(table, attempts.length - 1));
        expect(tally).toMatchObject({ acked: 1, unsettled: 0 });
        expect(tally.lost + tally.failed).toBe(attempts.length - 1);
        expect(attempts.length).toBeGreaterThan(1);
      },
    );

    it.each(['ack', 'retry', 'drop', 'release'] as const)(
      'claimed by hand whose session has ended: %s rejects and changes nothing',
      async (verb) => {
        const stand = await openHoldStand(bench);
        const queue = table.queue(stand.connect());
        const [id] = await queue.add([1]);
        const delivery = await claimOne(queue);
        const { signal } = delivery;
        await stand.endSessions();
        const owner = await claimWhenFree(table.queue(stand.connect()));
        await expect(delivery[verb]()).rejects.toMatchObject({ code: table.lostCode, id });
        expect(signal.aborted).toBe(true);
        expect(owner.attempt).toBe(table.afterCrash);
        // As the owner's claim left it: 3 where claims count, of which there were two.
        const attempt = (table.afterCrash ?? 1) + heldAttempt(table) - 1;
        expect(await showRows(stand, table)).toEqual([shown(table, id, attempt)]);
        await owner.ack();
        expect(await showRows(stand, table)).toEqual([]);
      },
    );

    it('loses no row and no session while sessions end again and again', async () => {
      const stand = await openHoldStand(bench);
      await table.queue(stand.connect()).add(numbers(150));
      const handled = new Set<unknown>();
      const worker = table.queue(stand.connect()).work(
        ({ payload }) => {
          handled.add(payload);
        },
        { concurrency: 6, poll: '20ms', backoff: () => 10 },
      );
      await worker.ready;
      for (let round = 0; round < 4; round += 1) {
        await stand.endSessions();
        const before = handled.size;
        await until('it goes on', () => handled.size > before || handled.size === 150);
      }
      await untilEmpty(stand, table, 20_000);
      const tally = await worker.stop();
      expect(handled.size).toBe(150);
      expect(tally.unsettled).toBe(0);
    });

    it('is warned of by the event server-limit where the server would end it within an hour', async () => {
      const stand = await openHoldStand(bench);
      const limits: InboxEvent[] = [];
      const { database } = stand.connectWith({ idleLimit: 1_800 });
      const worker = table.queue(database).work(() => undefined, {
        on: (event) => {
          if (event.kind === 'server-limit') limits.push(event);
        },
      });
      await worker.ready;
      await worker.stop();
      expect(limits.length).toBeGreaterThan(0);
      expect(limits).toContainEqual(
        expect.objectContaining({
          setting: bench.idleSetting[table.form],
          milliseconds: 1_800_000,
        }),
      );
      const quiet: string[] = [];
      const other = table
        .queue(stand.connectWith({ idleLimit: 7_200 }).database)
        .work(() => undefined, {
          on: ({ kind }) => {
            quiet.push(kind);
          },
        });
      await other.ready;
      await other.stop();
      expect(quiet).not.toContain('server-limit');
    });
  });
}
