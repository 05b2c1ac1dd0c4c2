import { annotationNamed } from '../queue/annotation-arguments.js';
import type { AdvisoryQueue, QueueFamily } from '../queue/queue.js';
import { docCode } from './names.js';

/** What generated code of a form looks like: all in which the modules of two forms differ. */
export interface FormCode {
  /** The runtime's class that a queue's class extends. */
  readonly queue: 'LeaseQueue' | 'RowLockQueue' | 'AdvisoryQueue';
  /** The type of the spec. */
  readonly spec: 'LeaseSpec' | 'RowLockSpec' | 'AdvisorySpec';
  /** A claimed row's cells, in words. */
  readonly cells: string;
  /** How many cells that no property has stand between the key and the attempt. */
  readonly heldCells: 0 | 1;
  /** What is said of the class, given its table as code. */
  readonly doc: (table: string) => string;
  /** The class is given the author's lock functions (`@custom`). */
  readonly takesLock: boolean;
}

/** The code of a family's form. */
export function formCode(family: QueueFamily): FormCode {
  const [first] = family.queues;
  switch (first.kind) {
    case 'lease':
      return leaseCode;
    case 'row-lock':
      return rowLockCode;
    case 'advisory':
      return {
        queue: 'AdvisoryQueue',
        spec: 'AdvisorySpec',
        cells: "A claimed row's cells: key, counted attempt, then the rest in DDL order.",
        heldCells: 0,
        doc: (table) => advisoryDoc(table, first, family),
        takesLock: first.ownLock?.kind === 'functions',
      };
  }
}

const leaseCode: FormCode = {
  queue: 'LeaseQueue',
  spec: 'LeaseSpec',
  cells: "A claimed row's cells: key, expiry, counted attempt, then the rest in DDL order.",
  heldCells: 1,
  doc: (table) =>
    `The ${table} queue in lease form: a claim commits at once, so a handler holds no connection.`,
  takesLock: false,
};

const rowLockCode: FormCode = {
  queue: 'RowLockQueue',
  spec: 'RowLockSpec',
  cells: "A claimed row's cells: key, counted attempt, then the rest in DDL order.",
  heldCells: 0,
  doc: (table) => `
The ${table} queue in row-lock form.

A claim's transaction stays open while the handler runs: every row in work holds a connection, and
a crash gives the row back at once. The crash is not counted, so a row that kills its process comes
back for ever.`,
  takesLock: false,
};

function advisoryDoc(table: string, queue: AdvisoryQueue, { queues }: QueueFamily): string {
  const key = annotationNamed(queue.table.annotations, 'advisory')?.argument ?? '';
  const servers = queues.filter(({ dialect }) => dialect !== 'sqlite');
  const registry = queues.some(
    (each) => each.dialect === 'sqlite' && each.kind === 'advisory' && each.ownLock === undefined,
  );
  return [
    `\nThe ${table} queue in advisory form: rows of one key, ${docCode(key)}, are in work one at a time.`,
    ...(servers.length > 0
      ? [
          "\nA session holds the key's lock while the handler runs: every row in work holds a connection.",
        ]
      : []),
    ...(registry
      ? ['\nOn SQLite the process keeps the locks, so only one process may work a file.']
      : []),
  ].join('\n');
}
