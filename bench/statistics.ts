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

/**
 * What two sides reach in that many rounds, each round's two numbers at the same place. The first
 * round warms up both sides and does not count; they take turns in being first.
 */
export async function inTurns(
  rounds: number,
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<readonly [readonly number[], readonly number[]]> {
  const reached: readonly [number[], number[]] = [[], []];
  const sides = [
    async (round: number) => {
      const rate = await first();
      if (round > 0) reached[0].push(rate);
    },
    async (round: number) => {
      const rate = await second();
      if (round > 0) reached[1].push(rate);
    },
  ];
  for (let round = 0; round <= rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side(round);
  }
  return reached;
}
