import { inspect } from 'node:util';

/**
 * An unknown error's own words, without the full stop, to go into a sentence. Never throws, whatever
 * was thrown.
 */
export function messageOf(error: unknown): string {
  return (ownMessage(error) ?? show(error)).replace(/\.$/, '');
}

function ownMessage(error: unknown): string | undefined {
  try {
    const message: unknown = error instanceof Error ? error.message : undefined;
    return typeof message === 'string' && message !== '' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** A value on one line and cut to fit, for a message. Strings appear quoted. Never throws. */
export function show(value: unknown): string {
  let text: string;
  try {
    text = inspect(value, { depth: 1, breakLength: Infinity, maxStringLength: 60 });
  } catch {
    text = 'a value that cannot be shown';
  }
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

/** What sort of thing a value is, for a message that must not show what is in it. */
export function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return String(value === null ? null : typeof value);
  const name: unknown = (value.constructor as { name?: unknown } | undefined)?.name;
  return typeof name === 'string' && name !== '' ? `a ${name}` : 'an object';
}
