import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, it, onTestFinished } from 'vitest';

import type { ServerBench, ServerStand } from '../../databases/bench.js';
import { checkHolds } from '../../history/hold-checker.js';
import {
  startHoldWorker,
  type HoldWorkerOptions,
  type HoldWorkerProcess,
} from '../../processes/start-hold-worker.js';
import { until } from '../support.js';
import { holdUpDeletes } from './ending.js';
import {
  addTurns,
  claimWhenFree,
  counted,
  openHoldStand,
  showRows,
  shown,
  untilEmpty,
  untilHeld,
} from './support.js';
import type { HoldTable } from './table.js';

function historyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'inbox-holds-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** How many keys the rows of a table have here, 0 where a row is all that a lock is on. */
const keysOf = ({ form }: HoldTable): number => (form === 'advisory' ? 50 : 0);

const countsOf = ({ form, counted: counts }: HoldTable): 'claim' | 'retry' | 'never' =>
  !counts ? 'never' : form === 'advisory' ? 'claim' : 'retry';

const mixed = (
  table: HoldTable,
  folder: string,
): Omit<HoldWorkerOptions, 'name'> & { readonly handler: 'mixed' } => ({
  ...{ folder, table: table.table, keys: keysOf(table), handler: 'mixed', concurrency: 8 },
});

/** Two processes on one table, by their histories. */
export function describeSharing(bench: ServerBench, table: HoldTable): void {
  const keys = keysOf(table);
  const count = table.counted ? 2_000 : 600;
  describe('several processes', () => {
    it(`two with eight handlers each share ${count} rows and no single one`, async () => {
      const stand = await openHoldStand(bench);
      const folder = historyFolder();
      const workers = ['a', 'b'].map((name) =>
        startHoldWorker(stand, { ...mixed(table, folder), name }),
      );
      await Promise.all(workers.map((worker) => worker.ready));
      const ids = await addTurns(table.queue(stand.connect()), count, keys);
      await untilEmpty(stand, table, 120_000);
      expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);
      const processes = workers.map((worker) => worker.history());
      const counts = countsOf(table);
      expect(checkHolds({ processes, enqueued: ids, left: [], counts, unlogged: 0 })).toEqual([]);
      const acked = processes.map(
        ({ events }) =>
          events.filter((event) => event.kind === 'settled' && event.verb === 'ack').length,
      );
      expect(Math.min(...acked)).toBeGreaterThan(0);
      expect(acked.reduce((sum, each) => sum + each, 0)).toBe(count);
    }, 180_000);
  });
}

/** What becomes of the rows of a process that is killed, hangs or is stopped. */
export function describeHoldProcesses(bench: ServerBench, table: HoldTable): void {
  const keys = keysOf(table);

  describe('several processes', () => {
    it('one that is killed half-way loses nothing, and the other finishes', async () => {
      const stand = await openHoldStand(bench);
      const folder = historyFolder();
      const start = (name: string): HoldWorkerProcess =>
        startHoldWorker(stand, { ...mixed(table, folder), name });
      const [survivor, victim] = [start('survivor'), start('victim')];
      await Promise.all([survivor.ready, victim.ready]);
      const ids = await addTurns(table.queue(stand.connect()), 600, keys);
      await until('the victim has worked', () => victim.history().events.length > 60, 20_000);
      await victim.kill();
      await untilEmpty(stand, table, 120_000);
      expect(await survivor.stop()).toBe(0);
      const processes = [survivor.history(), victim.history()];
      const counts = countsOf(table);
      // What it had in work or was claiming, and what it had decided and was settling.
      const unlogged = 16;
      expect(checkHolds({ processes, enqueued: ids, left: [], counts, unlogged })).toEqual([]);
    }, 180_000);
  });

  describe('a process', () => {
    const start = async (
      stand: ServerStand,
      handler: 'wait' | 'hand' = 'wait',
    ): Promise<HoldWorkerProcess> => {
      const folder = historyFolder();
      const worker = startHoldWorker(stand, {
        ...{ name: 'victim', folder, table: table.table, keys },
        ...{ handler, concurrency: 1 },
      });
      await worker.ready;
      return worker;
    };
    const handling = (worker: { output(): string }): boolean =>
      worker.output().includes('handling');

    it('killed while its handler runs: the row returns at once', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add([1]);
      const worker = await start(stand);
      await until('its handler runs', () => handling(worker));
      expect(await queue.claim()).toEqual([]);
      await worker.kill();
      const delivery = await claimWhenFree(queue);
      expect(delivery.attempt).toBe(table.afterCrash);
      await delivery.ack();
    });

    /** A process whose claim of the only row waits for what the answer lets it have. */
    const claiming = async (
      stand: ServerStand,
    ): Promise<{ readonly claimer: HoldWorkerProcess; readonly pass: () => Promise<void> }> => {
      const claimer = await start(stand, 'hand');
      const other = await stand.session();
      await other.run(bench.lockTable(table.table));
      claimer.tell('claim');
      await until('its claim waits', async () => (await stand.waiting()) > 0);
      return { claimer, pass: () => other.run(bench.unlockTable) };
    };

    it('killed while its claim is in flight: the row is free when the server has noticed', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add([1]);
      const { claimer, pass } = await claiming(stand);
      await claimer.kill();
      await pass();
      const delivery = await claimWhenFree(queue);
      // The server may have carried out the whole claim, and then it counts where claims do.
      expect([counted(table, 1), table.afterCrash]).toContain(delivery.attempt);
      await delivery.ack();
    });

    it('killed while its acknowledgement is in flight: done or returned, and nothing is held', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [id] = await queue.add([1]);
      const pass = await holdUpDeletes(stand, table);
      const worker = await start(stand);
      await until('its handler runs', () => handling(worker));
      worker.tell('go');
      await until('its acknowledgement waits', async () => (await stand.waiting()) > 0);
      await worker.kill();
      await pass();
      await until('the server has let go', async () => (await stand.held()).length === 0);
      const rows = await showRows(stand, table);
      // In row-lock form nobody has committed it; in advisory form the statement is a transaction.
      if (table.form === 'row-lock') expect(rows).toEqual([shown(table, id, 1)]);
      const attempts = (await queue.claim()).map(async (delivery) => {
        await delivery.ack();
        return delivery.attempt;
      });
      expect([[], [table.afterCrash]]).toContainEqual(await Promise.all(attempts));
      expect(await showRows(stand, table)).toEqual([]);
    });

    it('that hangs while its handler runs keeps its row, and finishes it', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add([1]);
      const worker = await start(stand);
      await until('its handler runs', () => handling(worker));
      worker.pause();
      worker.tell('go');
      for (let time = 0; time < 20; time += 1) expect(await queue.claim()).toEqual([]);
      worker.resume();
      await untilEmpty(stand, table);
      expect(await worker.stop()).toBe(0);
      expect(worker.history().events.map(({ kind }) => kind)).toEqual([
        'claimed',
        'left',
        'settled',
      ]);
    });

    it('that hangs while its claim is in flight has the row, and works it', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      await queue.add([1]);
      const { claimer, pass } = await claiming(stand);
      claimer.pause();
      await pass();
      await until('the server has carried it out', async () => (await stand.waiting()) === 0);
      await untilHeld(stand);
      expect(await queue.claim()).toEqual([]);
      claimer.resume();
      await until('it has the row', () => handling(claimer));
      claimer.tell('acknowledge');
      await untilEmpty(stand, table);
      expect(await claimer.stop()).toBe(0);
    });

    it('that hangs while its acknowledgement is in flight acknowledges once', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [id] = await queue.add([1]);
      const pass = await holdUpDeletes(stand, table);
      const worker = await start(stand);
      await until('its handler runs', () => handling(worker));
      worker.tell('go');
      await until('its acknowledgement waits', async () => (await stand.waiting()) > 0);
      worker.pause();
      await pass();
      expect(await queue.claim()).toEqual([]);
      worker.resume();
      await untilEmpty(stand, table);
      expect(await worker.stop()).toBe(0);
      const events = worker.history().events.filter(({ kind }) => kind === 'settled');
      expect(events).toEqual([expect.objectContaining({ id: String(id), verb: 'ack' })]);
    });

    it('that hangs until the server has ended its session settles nothing of the next owner', async () => {
      const stand = await openHoldStand(bench);
      const own = table.queue(stand.connect());
      const [id] = await own.add([1]);
      const worker = await start(stand);
      await until('its handler runs', () => handling(worker));
      worker.pause();
      worker.tell('go');
      await stand.endSessions();
      const owner = await claimWhenFree(table.queue(stand.connect()));
      expect(owner.attempt).toBe(table.afterCrash);
      worker.resume();
      await until('it has lost the row, or could not settle it', () =>
        worker.history().events.some(({ kind }) => kind === 'lost'),
      );
      expect((await showRows(stand, table)).map((row) => row.id)).toEqual([String(id)]);
      await owner.ack();
      expect(await worker.stop()).toBe(0);
      expect(worker.history().events.map(({ kind }) => kind)).not.toContain('settled');
    });

    it('that is stopped with a handler that hangs gives its row back at once', async () => {
      const stand = await openHoldStand(bench);
      const queue = table.queue(stand.connect());
      const [id] = await queue.add([1]);
      const worker = await start(stand);
      await until('its handler runs', () => handling(worker));
      expect(await worker.stop()).toBe(0);
      expect(await stand.held()).toEqual([]);
      expect(await showRows(stand, table)).toEqual([shown(table, id, 1)]);
    });
  });
}
