import type { ColumnType } from '../table/table.js';

/**
 * The type that holds what two dialects keep in one property, or none where one property cannot.
 * Integers take the wider one, instants are instants however they are kept, and types that are read
 * as the same text are that text. `payload` columns are JSON where one of them is.
 */
export function mergeTypes(
  left: ColumnType,
  right: ColumnType,
  role: 'payload' | 'other',
): ColumnType | undefined {
  if (left.kind === 'integer' && right.kind === 'integer') {
    if (left.bits !== right.bits) return left.bits > right.bits ? left : right;
    return { ...left, unsigned: left.unsigned && right.unsigned };
  }
  if (left.kind === right.kind) return left;
  if (isText(left) && isText(right)) return { kind: 'text' };
  if (role === 'payload' && isJson(left) && isJson(right)) return { kind: 'json' };
  return undefined;
}

function isText({ kind }: ColumnType): boolean {
  return kind === 'text' || kind === 'uuid' || kind === 'date' || kind === 'time';
}

function isJson({ kind }: ColumnType): boolean {
  return kind === 'text' || kind === 'json';
}
