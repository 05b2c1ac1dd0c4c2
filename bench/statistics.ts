/** The median of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? NaN;
  const high = sorted[Math.floor(middle)] ?? NaN;
  return (low + high) / 2;
}

/**
 * An interval that holds the median of what was sampled with about 95 % certainty: two values of the
 * sample, by the sign test, without an assumption about how the noise is spread.
 */
export function medianInterval(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const spread = 0.98 * Math.sqrt(sorted.length);
  const low = Math.max(0, Math.floor(sorted.length / 2 - spread));
  const high = Math.min(sorted.length - 1, Math.ceil(sorted.length / 2 + spread) - 1);
  return [sorted[low] ?? NaN, sorted[high] ?? NaN];
}
