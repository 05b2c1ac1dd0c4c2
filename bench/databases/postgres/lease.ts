import type { FormBench } from '../../bench.js';
import { ReportQueue, reportSpec } from '../../generated/index.js';
import type { PostgresServer, Row } from './server.js';

const { claimOne, claim, ack } = reportSpec.statements.postgres;

/** How long the hand-written loops hold a row, in milliseconds. */
const lease = '30000';

/** The lease form: claims and acknowledgements are one statement each, on any connection. */
export function leaseBench({ pool, database, send }: PostgresServer): FormBench {
  // A claim that comes late to a row locks it for a moment, so an acknowledgement can find it busy.
  const settle = async (rows: readonly Row[]): Promise<void> => {
    for (let open = rows; open.length > 0;) {
      const asked = open;
      const answers = await send(pool, ack, 'bench-ack', [
        asked.map(([id]) => id),
        asked.map(([, held]) => held),
        asked.map(([, , attempt]) => attempt),
      ]);
      open = asked.filter((_, index) => answers.rows[index]?.[1] === 'busy');
    }
  };
  return {
    table: 'reports',
    queue: new ReportQueue(database),
    async rowByRow({ handled }) {
      for (;;) {
        const { rows } = await send(pool, claimOne, 'bench-claim-one', [lease]);
        const [row] = rows;
        if (row === undefined) return;
        JSON.parse(row[3] ?? '');
        const last = handled();
        await settle(rows);
        if (last) return;
      }
    },
    async hundredAtATime({ handled }) {
      for (;;) {
        const { rows } = await send(pool, claim, 'bench-claim', [lease, 100]);
        if (rows.length === 0) return;
        let last = false;
        for (const row of rows) {
          JSON.parse(row[3] ?? '');
          last = handled();
        }
        await settle(rows);
        if (last) return;
      }
    },
  };
}
