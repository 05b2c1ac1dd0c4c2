import { describe, expect, test } from 'vitest';
import type { OwnLock } from '../../src/queue/queue.js';
import type { DialectName } from '../../src/table/table.js';
import { codesOf, resolved } from '../support/resolving.js';
import { tableOf, types, type ColumnInput } from '../support/tables.js';

const id: ColumnInput = { name: 'id', type: types.bigint, nullable: false };

function inputOf(dialect: DialectName, annotations: readonly string[]) {
  return { dialect, annotations: ['@advisory <id>', ...annotations], columns: [id] };
}

function lockOf(dialect: DialectName, ...annotations: readonly string[]): OwnLock | undefined {
  const { value, diagnostics } = resolved(tableOf(inputOf(dialect, annotations)));
  expect(diagnostics).toEqual([]);
  return value?.kind === 'advisory' ? value.ownLock : undefined;
}

function codes(dialect: DialectName, ...annotations: readonly string[]): readonly string[] {
  return codesOf(inputOf(dialect, annotations));
}

describe('a lock of its author', () => {
  test('is none where nothing is said', () => {
    expect(lockOf('postgres')).toBeUndefined();
  });

  test('is SQL around its keys, as written', () => {
    const lock = '@lock pg_try_advisory_lock( :key::bigint )';
    expect(lockOf('postgres', lock, "@unlock f(:key, ':key', :key) AND $$?:key$$ <> ''")).toEqual({
      kind: 'sql',
      lock: ['pg_try_advisory_lock( ', '::bigint )'],
      unlock: ['f(', ", ':key', ", ") AND $$?:key$$ <> ''"],
    });
    expect(lockOf('mysql', "@lock GET_LOCK(:key, '?\\'#', @wait)", '@unlock :key')).toEqual({
      kind: 'sql',
      lock: ['GET_LOCK(', ", '?\\'#', @wait)"],
      unlock: ['', ''],
    });
  });

  test('is functions with @custom', () => {
    expect(lockOf('sqlite', '@custom lock unlock')).toEqual({ kind: 'functions' });
    expect(lockOf('sqlite', '@custom lock  unlock')).toEqual({ kind: 'functions' });
  });

  test('is complete, and one', () => {
    expect(codes('postgres', '@lock f(:key)')).toEqual(['own-lock-invalid']);
    expect(codes('postgres', '@unlock f(:key)')).toEqual(['own-lock-invalid']);
    expect(codes('postgres', '@custom lock unlock', '@lock f(:key)')).toEqual(['own-lock-invalid']);
    expect(codes('postgres', '@custom lock unlock', '@custom lock unlock')).toEqual([
      'annotation-duplicate',
    ]);
    expect(codes('postgres', '@custom unlock lock')).toEqual(['annotation-argument']);
    expect(codes('postgres', '@custom')).toEqual(['annotation-argument']);
  });

  test.each(['@lock f(:key)', '@unlock f(:key)', '@custom lock unlock'])(
    'stands on advisory tables only: %s',
    (annotation) => {
      const given = { columns: [id], annotations: ['@inbox', annotation] };
      expect(codesOf(given)).toEqual(['own-lock-invalid']);
      const lease = [id, { name: 'locked_until', type: types.timestamptz }];
      const attempt = { name: 'attempt', type: types.integer, nullable: false };
      expect(
        codesOf({ columns: [...lease, attempt], annotations: ['@inbox lease', annotation] }),
      ).toEqual(['own-lock-invalid']);
    },
  );
});

describe('a lock expression', () => {
  const wrong: readonly (readonly [DialectName, string, string])[] = [
    ['postgres', 'f(:key); DROP TABLE t', ';'],
    ['postgres', 'f(:key) -- so', '-- so'],
    ['postgres', 'f(:key /* so */)', '/* so */'],
    ['mysql', 'f(:key) # so', '# so'],
    ['mysql', 'f(:key /*! + 1 */)', '/*!'],
    ['postgres', 'f(:key', '('],
    ['postgres', 'f:key)', ')'],
    ['postgres', 'a[f(:key])', ']'],
    ['postgres', "f(:key, 'a)", "'a)"],
    ['postgres', 'f(:key), 1', ','],
    ['postgres', 'f(:key, $1)', '$'],
    ['postgres', 'f(:key, ?)', '?'],
    ['sqlite', 'f(:key, ?2)', '?'],
    ['sqlite', 'f(:key, @a)', '@'],
    ['sqlite', 'f(:key, $a)', '$'],
    ['sqlite', 'f(:key, :1)', ':'],
    ['postgres', 'f(:key, :other)', ':other'],
    ['postgres', 'f(:keys)', ':keys'],
    ['postgres', "f(':key')", "f(':key')"],
    ['postgres', 'f(key)', 'f(key)'],
    ['postgres', 'f(:key) \\g', '\\g'],
  ];
  test.each(wrong)('on %s is not %s', (dialect, sql, place) => {
    const annotations = [`@lock ${sql}`, '@unlock g(:key)'];
    const { diagnostics } = resolved(tableOf(inputOf(dialect, annotations)));
    expect(diagnostics.map(({ code }) => code)).toEqual(['sql-fragment-invalid']);
    const span = diagnostics[0]?.span;
    expect(span?.source.text.slice(span.start, span.end)).toBe(place);
  });

  test('is not nothing', () => {
    expect(codes('postgres', '@lock', '@unlock g(:key)')).toEqual(['sql-fragment-invalid']);
  });
});

describe('a lock for some databases', () => {
  const both = ['@lock[postgres] p(:key)', '@unlock[postgres] q(:key)'];

  test('counts for those', () => {
    expect(lockOf('postgres', ...both)?.kind).toBe('sql');
    expect(lockOf('mysql', ...both)).toBeUndefined();
  });

  test('goes before the one that is for all', () => {
    const lines = ['@lock a(:key)', '@unlock b(:key)', '@lock[mysql, mariadb] c(:key)'];
    expect(lockOf('postgres', ...lines)).toMatchObject({ lock: ['a(', ')'], unlock: ['b(', ')'] });
    expect(lockOf('mariadb', ...lines)).toMatchObject({ lock: ['c(', ')'], unlock: ['b(', ')'] });
  });

  test('is complete for each', () => {
    const lines = ['@lock[postgres, sqlite] p(:key)', '@unlock[postgres] q(:key)'];
    expect(codes('postgres', ...lines)).toEqual([]);
    expect(codes('mysql', ...lines)).toEqual([]);
    expect(codes('sqlite', ...lines)).toEqual(['own-lock-invalid']);
  });

  test('names known ones, and each once', () => {
    const unlock = '@unlock q(:key)';
    expect(codes('postgres', '@lock[postgers] p(:key)', unlock)).toEqual(['dialect-unknown']);
    expect(codes('postgres', '@lock[] p(:key)', unlock)).toEqual(['annotation-argument']);
    expect(codes('postgres', '@lock p(:key)', '@lock p(:key)', unlock)).toEqual([
      'annotation-duplicate',
    ]);
    const twice = ['@lock[postgres] p(:key)', '@lock[postgres, mysql] p(:key)', unlock];
    expect(codes('postgres', ...twice)).toEqual(['annotation-duplicate']);
  });

  test('has its brackets right behind the word: elsewhere they are SQL', () => {
    expect(lockOf('sqlite', '@lock [f](:key)', '@unlock g(:key)')).toMatchObject({
      lock: ['[f](', ')'],
    });
  });
});
