/** Compares texts by their code points: the same order on every machine, whatever its locale. */
export function byCodePoint(left: string, right: string): number {
  const [lefts, rights] = [Array.from(left), Array.from(right)];
  for (let index = 0; index < lefts.length && index < rights.length; index++) {
    const difference = (lefts[index]?.codePointAt(0) ?? 0) - (rights[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return lefts.length - rights.length;
}
