import type { Bench } from '../../bench.js';
import { advisoryBench } from './advisory.js';
import { openFile } from './file.js';
import { leaseBench } from './lease.js';

/** SQLite, on a file of its own. */
export function openSqlite(): Promise<Bench> {
  const file = openFile();
  return Promise.resolve({
    ...file,
    forms: { lease: leaseBench(file), advisory: advisoryBench(file) },
  });
}
