import type { Diagnostic, Result } from '../source/diagnostic.js';
import { familyOf } from './family.js';
import { fileKey } from './file-name.js';
import { exportedNames, placeOfName } from './names.js';
import type { Queue, QueueFamily } from './queue.js';

/**
 * Gathers queues into classes: one for each table name, in the order of their files' names, whatever
 * the order in which they came. The queues come in the order of the dialects.
 *
 * Finds `queue-name-duplicate`: a table declared twice for one dialect, one table under two names,
 * two tables that want one file, and two queues that export the same name.
 */
export function familiesOf(queues: readonly Queue[]): Result<readonly QueueFamily[]> {
  const diagnostics: Diagnostic[] = [];
  const families: QueueFamily[] = [];
  for (const group of groupsOf(queues)) {
    const clashes = groupClashes(group);
    const { value, diagnostics: found } =
      clashes.length > 0 ? { diagnostics: clashes } : familyOf(group);
    diagnostics.push(...found);
    if (value) families.push(value);
  }
  diagnostics.push(...exportClashes(families));
  return { value: families, diagnostics };
}

/** Queues whose modules would be one file on some disk. */
function groupsOf(queues: readonly Queue[]): readonly [Queue, ...Queue[]][] {
  const groups = new Map<string, [Queue, ...Queue[]]>();
  for (const queue of queues) {
    const key = fileKey(queue.names.file);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [queue]);
    else group.push(queue);
  }
  return [...groups.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, group]) => group);
}

function groupClashes(group: readonly [Queue, ...Queue[]]): readonly Diagnostic[] {
  const [first] = group;
  return group.flatMap((queue, index): readonly Diagnostic[] => {
    const twin = group.slice(0, index).find(({ dialect }) => dialect === queue.dialect);
    if (twin !== undefined) return [sameDialect(twin, queue)];
    if (queue.names.row === first.names.row) return [];
    const name = first.table.name.text;
    return [
      duplicate(
        `table "${name}" is ${first.names.row} on ${first.dialect} and ${queue.names.row} on ${queue.dialect}`,
        first,
        queue,
        'give both the same name: one class serves all dialects of a table',
      ),
    ];
  });
}

function sameDialect(twin: Queue, queue: Queue): Diagnostic {
  const name = queue.table.name.text;
  if (twin.table.name.text === name && twin.names.row === queue.names.row) {
    const help = 'generate one of them into another folder, or take its annotation away';
    return duplicate(`table "${name}" is a queue twice on ${queue.dialect}`, twin, queue, help);
  }
  return duplicate(
    `tables "${twin.table.name.text}" and "${name}" would both be generated into ${queue.names.file}.ts`,
    twin,
    queue,
    'rename one of the tables, or generate it into another folder',
  );
}

function exportClashes(families: readonly QueueFamily[]): readonly Diagnostic[] {
  const owners = new Map<string, QueueFamily>();
  return families.flatMap((family): readonly Diagnostic[] => {
    const names = exportedNames(family.names);
    const taken = names.find((name) => owners.has(name));
    const owner = taken === undefined ? undefined : owners.get(taken);
    for (const name of names) owners.set(name, owners.get(name) ?? family);
    if (taken === undefined || owner === undefined) return [];
    const [left, right] = [owner.queues[0], family.queues[0]];
    const tables = `"${left.table.name.text}" and "${right.table.name.text}"`;
    const help = 'write another name into one of the annotations: @inbox OtherName';
    return [duplicate(`tables ${tables} both become ${taken}`, left, right, help)];
  });
}

function duplicate(message: string, first: Queue, second: Queue, help: string): Diagnostic {
  return {
    code: 'queue-name-duplicate',
    severity: 'error',
    message,
    span: placeOfName(second.table),
    help,
    related: { span: placeOfName(first.table), message: 'the first' },
  };
}
