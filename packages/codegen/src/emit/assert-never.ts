/** Marks the end of a switch that has a case for everything; throws if the compiler was deceived. */
export function assertNever(value: never): never {
  throw new Error(`not expected here: ${JSON.stringify(value)}`);
}
