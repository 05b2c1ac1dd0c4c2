import type { ListStatement, Statement, StatementSet } from '../dialects/statements.js';
import { exportedNames } from '../queue/names.js';
import type { Property, QueueFamily } from '../queue/queue.js';
import { keyProperties, propertyCode } from './columns.js';
import { formCode } from './form-code.js';
import { filledList, listLiteral } from './lists.js';
import {
  lineCommentText,
  localNames,
  propertyAccess,
  propertyKey,
  stringLiteral,
  templateLiteral,
} from './names.js';

/** The runtime's functions that a family's statements call. */
export function builtinsOf(statements: readonly StatementSet[]): readonly string[] {
  const grows = statements.some(({ entries }) =>
    entries.some(({ statement }) => !('text' in statement)),
  );
  return grows ? ['list'] : [];
}

/** The runtime's functions that a family's spec calls, in no order. */
export function carriersOf({ properties }: QueueFamily): readonly string[] {
  const names = properties.flatMap((property) => {
    const { reader, writer } = propertyCode(property);
    return [
      reader,
      ...(property.nullable ? ['readNullable'] : []),
      ...(property.given ? [writer] : []),
      ...(property.given && takesNothing(property.given) ? ['writeNullable'] : []),
      ...(property.given?.flagged ? ['writeGiven'] : []),
    ];
  });
  return [...new Set(names)];
}

/**
 * The object literal of a family's spec: names, whole statements a dialect, and how rows cross. It
 * stands at the left margin, so no line of SQL is moved.
 */
export function specLiteral(family: QueueFamily, statements: readonly StatementSet[]): string {
  const [first] = family.queues;
  const { schema, name } = first.table;
  const table = schema === undefined ? name.text : `${schema.text}.${name.text}`;
  const codec = codecOf(family);
  return `{
  queue: ${stringLiteral(family.names.row)},
  table: ${stringLiteral(table)},
  keyWidth: ${first.key.length},
  counted: ${first.attempt !== undefined},
  hostClock: ${first.clock === 'host'},
  statements: {
${family.queues.map(({ dialect }, index) => databaseEntry(dialect, statements[index])).join('')}  },
  // ${formCode(family).cells}
  decode: ${codec.decode},
  decodeKey: ${codec.decodeKey},
  decodeAttempt: ${codec.decodeAttempt},
  encode: ${codec.encode},
}`;
}

function databaseEntry(dialect: string, set: StatementSet | undefined): string {
  const entries = set?.entries.map(({ name, comment, statement }) => {
    const lines = comment.split('\n').map((line) => `      // ${lineCommentText(line)}\n`);
    const properties = statementProperties(statement).map((text) => `        ${text},\n`);
    return `${lines.join('')}      ${propertyKey(name)}: {\n${properties.join('')}      },\n`;
  });
  return `    ${dialect}: {\n${entries?.join('') ?? ''}    },\n`;
}

function statementProperties(statement: Statement | ListStatement): readonly string[] {
  if ('text' in statement) {
    return [
      `text: ${templateLiteral(sqlBlock(statement.text))}`,
      `values: ${nameList('values', statement.values)}`,
    ];
  }
  const { before, item, separator, after, values, each, key } = statement;
  // Where escaped quotes would stand in it, the SQL of a row reads better between backticks.
  const literal = item.includes("'") ? templateLiteral(item) : stringLiteral(item);
  const list = `list(${literal}, ${stringLiteral(separator)}, rows)`;
  const open = templateLiteral(sqlBlock(before)).slice(0, -1);
  const close = templateLiteral(after).slice(1);
  return [
    `text: (rows) => ${open}\${${list}}${close}`,
    `values: ${nameList('values', values)}`,
    `each: ${nameList('each', each)}`,
    ...(key === undefined ? [] : [`key: ${nameList('key', key)}`]),
  ];
}

function nameList(property: string, names: readonly string[]): string {
  return filledList(names.map(stringLiteral), { indent: 8, before: property.length + 3 });
}

/** A text of several lines begins on a line of its own, so that it can be pasted as it stands. */
function sqlBlock(text: string): string {
  return text.includes('\n') && !text.startsWith('\n') ? `\n${text}` : text;
}

interface Codec {
  readonly decode: string;
  readonly decodeKey: string;
  readonly decodeAttempt: string;
  readonly encode: string;
}

function codecOf(family: QueueFamily): Codec {
  const { properties } = family;
  const [first] = family.queues;
  const key = keyProperties(family);
  const held = new Array<string>(formCode(family).heldCells).fill('');
  const attempt = properties.filter(({ role }) => role === 'attempt');
  const rest = properties.filter(
    (property) => !key.includes(property) && !attempt.includes(property),
  );
  const names = namesOf(properties, [...carriersOf(family), ...exportedNames(family.names)]);
  const start = first.attempt?.start ?? 0;

  const read = (property: Property): string => readCall(property, names(property), start);
  const entry = (property: Property): string => `${propertyKey(property.name)}: ${read(property)}`;
  const cells = [...key.map(names), ...held, ...attempt.map(names), ...rest.map(names)];
  const keyPattern = arrayPattern(key.map(names), 'decodeKey');
  const [counter] = attempt;
  return {
    decode: `(${arrayPattern(cells, 'decode')}) => ({
${properties.map((property) => `    ${entry(property)},\n`).join('')}  })`,
    decodeKey: `(${keyPattern}) => ${keyValue(key, read, entry, keyPattern)}`,
    decodeAttempt:
      counter === undefined
        ? '() => null'
        : `(${arrayPattern([...key.map(() => ''), ...held, names(counter)], 'decodeAttempt')}) => ${read(counter)}`,
    encode: encodeArrow(properties),
  };
}

/** The local variable of each property. */
function namesOf(
  properties: readonly Property[],
  taken: readonly string[],
): (property: Property) => string {
  const names = localNames(
    properties.map(({ name }) => name),
    taken,
  );
  return (property) => names[properties.indexOf(property)] ?? '';
}

function readCall(property: Property, cell: string, start: number): string {
  const { reader } = propertyCode(property);
  const column = stringLiteral(property.columns[0].name.text);
  if (property.nullable) return `readNullable(${reader}, ${column}, ${cell})`;
  const less = property.role === 'attempt' && start > 0 ? ` - ${start}` : '';
  return `${reader}(${column}, ${cell})${less}`;
}

function keyValue(
  key: readonly Property[],
  read: (property: Property) => string,
  entry: (property: Property) => string,
  pattern: string,
): string {
  const [only, second] = key;
  if (only !== undefined && second === undefined) return read(only);
  const before = 'decodeKey: () => ('.length + pattern.length;
  return `(${listLiteral('{}', key.map(entry), { indent: 2, before })})`;
}

function encodeArrow(properties: readonly Property[]): string {
  const cells = properties.flatMap((property) => writeCalls(property));
  if (cells.length === 0) return '() => []';
  return `(row) => ${listLiteral('[]', cells, { indent: 2, before: 'encode: (row) => '.length })}`;
}

/** A property's cells: its value, and before that whether one was given where a default may stand. */
function writeCalls(property: Property): readonly string[] {
  const { given } = property;
  if (given === undefined) return [];
  const { writer } = propertyCode(property);
  const column = stringLiteral(property.columns[0].name.text);
  const value = propertyAccess('row', property.name);
  if (!takesNothing(given)) return [`${writer}(${column}, ${value})`];
  const cell = `writeNullable(${writer}, ${column}, ${value})`;
  return given.flagged ? [`writeGiven(${value})`, cell] : [cell];
}

/** Whether a cell may have to stand for a value that was not given. */
function takesNothing(given: NonNullable<Property['given']>): boolean {
  return given.flagged || given.nullable || !given.required;
}

function arrayPattern(names: readonly string[], before: string): string {
  const last = names.findLastIndex((name) => name !== '');
  const shown = names.slice(0, last + 1);
  return listLiteral('[]', shown, { indent: 2, before: before.length + ': ('.length + 8 });
}
