import { setTimeout as delay } from 'node:timers/promises';

/** Waits for something that will come; fails with its name after a minute. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain: ${what}`);
    await delay(2);
  }
}

/** The error that a promise rejects with. */
export async function rejection(promise: PromiseLike<unknown> | undefined): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not reject');
}

/** A promise that is kept from outside. */
export function gate<Value = void>(): {
  readonly passed: Promise<Value>;
  readonly open: (value: Value) => void;
} {
  let open: (value: Value) => void = () => undefined;
  const passed = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return {
    passed,
    open: (value) => {
      open(value);
    },
  };
}
