import type { Property, QueueFamily } from '../queue/queue.js';
import { assertNever } from './assert-never.js';

/** How a property looks in TypeScript and which functions of the runtime carry it. */
export interface PropertyCode {
  readonly type: string;
  readonly reader: string;
  readonly writer: string;
}

/**
 * What generated code makes of a property. An attempt is a `number` however wide its column is; a
 * payload of text is JSON in text.
 */
export function propertyCode({ role, type }: Property): PropertyCode {
  if (role === 'attempt') return number;
  switch (type.kind) {
    case 'integer':
      if (type.bits < 64) return number;
      return type.unsigned
        ? { ...carried('bigint', 'Bigint'), writer: 'writeUnsignedBigint' }
        : carried('bigint', 'Bigint');
    case 'decimal':
      return carried('string', 'Decimal');
    case 'float':
      return carried('number', 'Float');
    case 'text':
      return role === 'payload' ? carried('unknown', 'Json') : carried('string', 'Text');
    case 'uuid':
    case 'date':
    case 'time':
      return carried('string', 'Text');
    case 'json':
      return carried('unknown', 'Json');
    case 'bytes':
      return carried('Uint8Array', 'Bytes');
    case 'boolean':
      return carried('boolean', 'Boolean');
    case 'instant':
      return carried('Date', 'Instant');
    case 'unknown':
      return carried('unknown', 'Unknown');
    default:
      return assertNever(type);
  }
}

/** The properties of a family's key, in key order. */
export function keyProperties({ queues: [first], properties }: QueueFamily): readonly Property[] {
  return first.key.flatMap(
    (column) => properties.find(({ columns }) => columns[0] === column) ?? [],
  );
}

/** A property's type in the row. */
export function rowType(property: Property): string {
  const { type } = propertyCode(property);
  return property.nullable && type !== 'unknown' ? `${type} | null` : type;
}

/** A property's type in a new row. Where it may be left out, `undefined` is as good as nothing. */
export function newRowType(property: Property, given: NonNullable<Property['given']>): string {
  const { type } = propertyCode(property);
  const words = [
    type,
    ...(given.nullable ? ['null'] : []),
    ...(given.required ? [] : ['undefined']),
  ];
  return type === 'unknown' ? type : words.join(' | ');
}

function carried(type: string, carrier: string): PropertyCode {
  return { type, reader: `read${carrier}`, writer: `write${carrier}` };
}

const number = carried('number', 'Integer');
