/** A timer that was set; `cancel` may be called at any time and more than once. */
export interface Timer {
  cancel(): void;
  /** Lets the process end before the timer does, where the clock can. */
  unref?(): void;
}

/**
 * What the runtime asks the host about time: the one thing that a test may replace. Ownership is
 * measured with `monotonic`; `wall` is read only for tables annotated `@clock host`.
 */
export interface Clock {
  /** Milliseconds since some fixed moment; never jumps. */
  monotonic(): number;
  /** Milliseconds since the epoch, as the host believes. */
  wall(): number;
  /** Runs a function once, after so many milliseconds. The timer keeps the process alive. */
  after(milliseconds: number, run: () => void): Timer;
}

/** The longest wait of one timer of Node; a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** The host's own clock. A timer longer than 24 days fires early: whoever waits looks again. */
export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, Math.min(Math.max(milliseconds, 0), longestTimer));
    return {
      cancel() {
        clearTimeout(timer);
      },
      unref() {
        timer.unref();
      },
    };
  },
};
