/**
 * A span of time: milliseconds as a number, or text with a unit: `'250ms'`, `'30s'`, `'5m'`, `'2h'`.
 */
export type Duration = number | `${number}ms` | `${number}s` | `${number}m` | `${number}h`;

/** 100 years in milliseconds: no delay is longer, so that no database's dates overflow. */
export const durationLimit: number = 100 * 365.25 * 24 * 60 * 60 * 1_000;

const unitMilliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const durationText = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/**
 * A duration in whole milliseconds, rounded up; `undefined` where the value is no duration (a
 * negative or missing number, text in another form). Never throws.
 */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') {
    return value >= 0 ? ceilMilliseconds(value) : undefined;
  }
  if (typeof value !== 'string') {
    return undefined;
  }
  const [, amount, unit] = durationText.exec(value) ?? [];
  if (amount === undefined || unit === undefined) {
    return undefined;
  }
  return ceilMilliseconds(Number(amount) * (unitMilliseconds[unit] ?? Number.NaN));
}

function ceilMilliseconds(value: number): number {
  // 0.1 s * 3 and its kin must not become one millisecond more than was written.
  return Math.ceil(Number(value.toPrecision(15)));
}
