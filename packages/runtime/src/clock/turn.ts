/**
 * Work put together by nature: what was asked for during one turn of the event loop is done
 * together when the turn ends, without a timer and without added latency.
 *
 * A turn ends in two steps inside one `setImmediate`: first everything collected with `atTurnEnd`
 * runs (settlements are put into batches, workers ask for rows), then everything collected with
 * `afterTurnEnd` (a driver writes what those asked for, in one transaction).
 */
let first: (() => void)[] = [];
let second: (() => void)[] = [];
let scheduled = false;

/** Runs a function when this turn of the event loop ends. */
export function atTurnEnd(run: () => void): void {
  first.push(run);
  schedule();
}

/** Runs a function after those of `atTurnEnd`, in the same turn. */
export function afterTurnEnd(run: () => void): void {
  second.push(run);
  schedule();
}

function schedule(): void {
  if (!scheduled) {
    scheduled = true;
    setImmediate(endTurn);
  }
}

function endTurn(): void {
  scheduled = false;
  const collected = first;
  first = [];
  runAll(collected);
  const last = second;
  second = [];
  runAll(last);
}

function runAll(functions: readonly (() => void)[]): void {
  for (const run of functions) {
    try {
      run();
    } catch (error) {
      // A bug, and the others must not pay for it: it surfaces as what it is, uncaught.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
