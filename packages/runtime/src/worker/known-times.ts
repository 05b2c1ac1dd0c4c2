/** Moments at which rows are known to come due, the earliest first. */
export interface KnownTimes {
  add(at: number): void;
  /** Forgets the moments up to `until`, and answers how many those were. */
  pass(until: number): number;
  /** The earliest moment; `Infinity` where none is known. */
  next(): number;
}

/** More than this would be found by polling long before. */
const most = 1_000;

/** Remembers up to a thousand moments of the monotonic clock. */
export function knownTimes(): KnownTimes {
  const times: number[] = [];
  return {
    add(at) {
      let low = 0;
      let high = times.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((times[middle] ?? 0) < at) low = middle + 1;
        else high = middle;
      }
      times.splice(low, 0, at);
      if (times.length > most) times.pop();
    },
    pass(until) {
      let passed = 0;
      while ((times[passed] ?? Infinity) <= until) passed += 1;
      if (passed > 0) times.splice(0, passed);
      return passed;
    },
    next: () => times[0] ?? Infinity,
  };
}
