import diagnostics from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';

import type { InboxEvent } from 'inbox-runtime';

import type { HistoryEvent } from '../history/history.js';

/**
 * Writes every claim, extension, settlement and loss that this process learns of into an open
 * file, a line each, at once: what was learnt before a kill is in the file after it.
 */
export function recordHistory(file: number): void {
  diagnostics.subscribe('inbox-runtime', (message) => {
    const line = historyEvent(message as InboxEvent);
    if (line !== null) {
      writeSync(file, `${JSON.stringify(line)}\n`);
    }
  });
}

function historyEvent(event: InboxEvent): HistoryEvent | null {
  switch (event.kind) {
    case 'claimed':
      return { kind: 'claimed', ...ownership(event) };
    case 'extended':
      return { kind: 'extended', ...ownership(event), previous: event.previous };
    case 'settled':
      return { kind: 'settled', ...ownership(event), verb: event.as };
    case 'lost':
      // A lease that can no longer be proved may still be ours: the database knows.
      return event.why === 'taken' ? { kind: 'lost', ...ownership(event) } : null;
    default:
      return null;
  }
}

function ownership(event: {
  readonly id: unknown;
  readonly attempt: number | null;
  readonly held: string;
}): Pick<HistoryEvent, 'id' | 'attempt' | 'fence'> {
  return { id: String(event.id), attempt: event.attempt ?? 0, fence: event.held };
}
