import { inspect } from 'node:util';

/** An unknown error's own words, without the full stop, to go into a sentence. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error && error.message !== '' ? error.message : show(error);
  return message.replace(/\.$/, '');
}

/** A value on one line and cut to fit, for a message. Strings appear quoted. */
export function show(value: unknown): string {
  const text = inspect(value, { depth: 1, breakLength: Infinity, maxStringLength: 60 });
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

/** What sort of thing a value is, for a message that must not show what is in it. */
export function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return String(value === null ? null : typeof value);
  const name: unknown = (value.constructor as { name?: unknown } | undefined)?.name;
  return typeof name === 'string' && name !== '' ? `a ${name}` : 'an object';
}
