import type { Diagnostic } from '../source/diagnostic.js';
import type { LexicalRules } from '../source/lexer.js';
import type { Table } from '../table/table.js';
import { annotationNamed, readChoice, type FormName } from './annotation-arguments.js';
import { lockFragmentOf } from './lock-fragment.js';
import type { OwnLock } from './queue.js';
import { traitsOf } from './roles.js';
import { fragmentNamed, type SqlFragment } from './sql-fragment.js';

/** What a table says of a lock of its author's own: none, `@lock` and `@unlock`, or `@custom`. */
export interface FoundOwnLock {
  readonly ownLock?: OwnLock;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The author's own lock of an advisory table. Finds `own-lock-invalid`: one of `@lock` and `@unlock`
 * without the other, or both beside `@custom`; and what is wrong with the SQL itself.
 */
export function ownLockOf(table: Table, rules: LexicalRules): FoundOwnLock {
  const [lock, unlock] = [fragmentNamed(table, 'lock'), fragmentNamed(table, 'unlock')];
  const custom = annotationNamed(table.annotations, 'custom');
  const diagnostics = [...lock.diagnostics, ...unlock.diagnostics];
  if (custom !== undefined) {
    const words = readChoice({ ...custom, argument: custom.argument.replace(/\s+/g, ' ') }, [
      'lock unlock',
    ]);
    const beside = [lock.fragment, unlock.fragment].flatMap((fragment) => fragment ?? []);
    diagnostics.push(...words.diagnostics, ...beside.map(besideCustom));
    return diagnostics.length > 0
      ? { diagnostics }
      : { ownLock: { kind: 'functions' }, diagnostics };
  }
  const read = [lock, unlock].map(
    ({ fragment }) => fragment && lockFragmentOf(fragment, rules, traitsOf(table)),
  );
  diagnostics.push(...read.flatMap((result) => result?.diagnostics ?? []));
  // A fragment that could not be read has been complained of, and so is not missing.
  if (diagnostics.length > 0) return { diagnostics };
  if (lock.fragment && !unlock.fragment) return { diagnostics: [alone(lock.fragment, 'unlock')] };
  if (unlock.fragment && !lock.fragment) return { diagnostics: [alone(unlock.fragment, 'lock')] };
  const [taken, freed] = read.map((result) => result?.value);
  if (taken === undefined || freed === undefined) return { diagnostics };
  return { ownLock: { kind: 'sql', lock: taken, unlock: freed }, diagnostics };
}

/** Complains of an own lock on a table of another form: nothing would ever take it. */
export function misplacedOwnLock({ annotations }: Table, form: FormName): readonly Diagnostic[] {
  const words = ['lock', 'unlock', 'custom'];
  return annotations.annotations
    .filter(({ name }) => words.includes(name))
    .map(({ name, span }) => ({
      code: 'own-lock-invalid',
      severity: 'error',
      message: `@${name} is for the form advisory, and the form is ${form}`,
      span,
      help: `take @${name} away, or write \`@advisory\` with the lock's key`,
    }));
}

function besideCustom({ annotation }: SqlFragment): Diagnostic {
  return {
    code: 'own-lock-invalid',
    severity: 'error',
    message: `@${annotation.name} stands beside @custom, and a table has one lock`,
    span: annotation.span,
    help: 'keep @lock and @unlock, whose SQL is run, or @custom, whose functions are called',
  };
}

function alone({ annotation }: SqlFragment, missing: 'lock' | 'unlock'): Diagnostic {
  return {
    code: 'own-lock-invalid',
    severity: 'error',
    message: `@${annotation.name} stands without @${missing}`,
    span: annotation.span,
    help:
      missing === 'unlock'
        ? 'write `@unlock` with the expression that frees what @lock takes'
        : 'write `@lock` with the expression that takes what @unlock frees',
  };
}
