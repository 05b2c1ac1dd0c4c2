import type { Clock, Timer } from '../../clock/clock.js';

/** What is waited for, and given up when its time has come. */
export interface Watched {
  /** When, on the monotonic clock. */
  readonly at: number;
  readonly giveUp: () => void;
  /** Its own, which keeps the process alive. */
  readonly timer?: Timer;
}

/** The deadlines of statements: most are met, and setting a timer for each would cost too much. */
export interface PgWatchdog {
  /** Calls `giveUp` after so many milliseconds, unless it is forgotten before. */
  readonly watch: (milliseconds: number, giveUp: () => void) => Watched;
  /**
   * The same, and the process stays alive meanwhile: for what an author's function waits for, which
   * need not be an answer on a connection.
   */
  readonly watchAwake: (milliseconds: number, giveUp: () => void) => Watched;
  readonly forget: (watched: Watched) => void;
}

/**
 * Watches with one timer for all answers. That timer does not keep the process alive: the connection on which
 * an answer is waited for does.
 */
export function pgWatchdog(clock: Clock): PgWatchdog {
  const all = new Set<Watched>();
  let armed: { readonly timer: Timer; readonly at: number } | undefined;

  function arm(at: number): void {
    if (armed !== undefined && armed.at <= at) return;
    armed?.timer.cancel();
    const timer = clock.after(Math.max(1, Math.ceil(at - clock.monotonic())), look);
    timer.unref?.();
    armed = { timer, at };
  }

  function look(): void {
    armed = undefined;
    const now = clock.monotonic();
    let next = Infinity;
    for (const watched of all) {
      if (watched.at > now) {
        next = Math.min(next, watched.at);
      } else {
        all.delete(watched);
        watched.giveUp();
      }
    }
    if (next < Infinity) arm(next);
  }

  return {
    watch(milliseconds, giveUp) {
      const watched = { at: clock.monotonic() + milliseconds, giveUp };
      all.add(watched);
      arm(watched.at);
      return watched;
    },
    watchAwake: (milliseconds, giveUp) => ({
      at: clock.monotonic() + milliseconds,
      giveUp,
      timer: clock.after(milliseconds, giveUp),
    }),
    forget(watched) {
      watched.timer?.cancel();
      all.delete(watched);
    },
  };
}
