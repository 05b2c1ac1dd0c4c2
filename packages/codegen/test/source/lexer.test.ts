import { describe, expect, it } from 'vitest';
import { lexicalRules as postgres } from '../../src/dialects/postgres/lexical-rules.js';
import { lexicalRules as sqlite } from '../../src/dialects/sqlite/lexical-rules.js';
import { lex, type LexicalRules } from '../../src/source/lexer.js';

/** MySQL's rules with every code comment read, whichever server it is for. */
const mysql: LexicalRules = {
  lineComments: [
    { opener: '--', blankAfter: true, lineStart: false },
    { opener: '#', blankAfter: false, lineStart: false },
  ],
  blockComments: { nest: false, endOfFileCloses: false, code: true },
  quotes: [
    { kind: 'string', openers: ["'"], closer: "'", escapes: 'backslash' },
    { kind: 'string', openers: ['"'], closer: '"', escapes: 'backslash' },
    { kind: 'name', openers: ['`'], closer: '`', escapes: 'doubled' },
  ],
  dollarQuotes: false,
  bareNames: { fold: 'as-written', digitFirst: true },
  client: { backslash: false, dot: false, delimiter: true, copyData: false },
  bodies: { of: ['TRIGGER', 'PROCEDURE'], opener: ['BEGIN'], parenthesised: [] },
};

/** Tokens as `kind text`, which shows where they were cut. */
function cut(text: string, rules: LexicalRules): readonly string[] {
  return lex({ path: 'x.sql', text }, rules).map((token) => `${token.kind} ${token.text}`);
}

function values(text: string, rules: LexicalRules): readonly string[] {
  return lex({ path: 'x.sql', text }, rules).map(({ value }) => value);
}

describe('every dialect', () => {
  it('cuts words, numbers, symbols and terminators', () => {
    expect(cut('a.b(1.5e-3, 0xFF)::int;', postgres)).toEqual([
      'word a',
      'symbol .',
      'word b',
      'symbol (',
      'number 1.5e-3',
      'symbol ,',
      'number 0xFF',
      'symbol )',
      'symbol ::',
      'word int',
      'terminator ;',
    ]);
  });

  it('gives every token its place, so that the tokens and the gaps are the text', () => {
    const text = '\ufeffCREATE\r\n "a" -- x\r\n\'é\' /* y */ ;';
    const tokens = lex({ path: 'x.sql', text }, postgres);
    for (const { text: written, span } of tokens) {
      expect(text.slice(span.start, span.end)).toBe(written);
    }
    const gaps = tokens.map(({ span }, index) =>
      text.slice(tokens[index - 1]?.span.end ?? 0, span.start),
    );
    expect(gaps.join('')).toMatch(/^[\ufeff\s]*$/);
  });

  it('takes a line comment to the end of its line, however that ends', () => {
    for (const lineBreak of ['\n', '\r\n', '\r']) {
      expect(cut(`-- it's; "x"${lineBreak}a`, sqlite)).toEqual([`comment -- it's; "x"`, 'word a']);
    }
    expect(cut('-- last', sqlite)).toEqual(['comment -- last']);
  });

  it('takes a byte order mark for white space, between two joined files too', () => {
    expect(cut('\ufeffa;\ufeffb', postgres)).toEqual(['word a', 'terminator ;', 'word b']);
  });

  it('reads names that are not ASCII', () => {
    expect(cut('größe.Ωmega', postgres)).toEqual(['word größe', 'symbol .', 'word Ωmega']);
  });

  it('reads pieces of templates as placeholders', () => {
    for (const piece of ['{{ .schema }}', '${prefix}', '@extschema@', '%PREFIX%', ':schema']) {
      expect(cut(`${piece}.t`, postgres)[0]).toBe(`placeholder ${piece}`);
    }
  });

  it('does not take casts for placeholders', () => {
    expect(cut("'1'::int", postgres)).toEqual(["string '1'", 'symbol ::', 'word int']);
  });
});

describe('PostgreSQL', () => {
  it('nests block comments', () => {
    expect(cut('/* a /* b */ c */ d', postgres)).toEqual(['comment /* a /* b */ c */', 'word d']);
  });

  it('reads a backslash as itself, but in E strings', () => {
    expect(cut(String.raw`'a\' b`, postgres)).toEqual([String.raw`string 'a\'`, 'word b']);
    expect(cut(String.raw`E'a\' b' c`, postgres)).toEqual([String.raw`string E'a\' b'`, 'word c']);
    expect(values(String.raw`e'a\n\'\\'`, postgres)).toEqual(["a\n'\\"]);
  });

  it('reads prefixed strings', () => {
    expect(cut("B'01' x'1f' N'n'", postgres)).toEqual([
      "string B'01'",
      "string x'1f'",
      "string N'n'",
    ]);
    expect(values(String.raw`U&'d\0061t\+000061'`, postgres)).toEqual(['data']);
  });

  it('reads quoted names, doubled quotes and Unicode escapes', () => {
    expect(values('"a""b"', postgres)).toEqual(['a"b']);
    expect(values(String.raw`U&"d\0061ta" U&"d!0061!!" UESCAPE '!' x`, postgres)).toEqual([
      'data',
      'da!',
      'x',
    ]);
  });

  it('folds bare names to lower case and keeps quoted ones', () => {
    expect(values('Jobs "Jobs" ÄB', postgres)).toEqual(['jobs', 'Jobs', 'Äb']);
  });

  it('reads dollar quotes with and without a tag, one in another', () => {
    expect(cut("$$it's;$$ $a$ $b$ $$ $a$ $1 a$b$c", postgres)).toEqual([
      "string $$it's;$$",
      'string $a$ $b$ $$ $a$',
      'symbol $',
      'number 1',
      'word a$b$c',
    ]);
  });

  it("leaves psql's backslash commands to psql", () => {
    expect(cut("\\restrict it's\na", postgres)).toEqual(["client \\restrict it's", 'word a']);
    expect(cut('SELECT 1 \\gexec\nb', postgres)).toEqual([
      'word SELECT',
      'number 1',
      'client \\gexec',
      'word b',
    ]);
  });

  it('does not look into the data of COPY', () => {
    const text = "COPY t (a) FROM stdin;\n-- @inbox\n'\t;\n\\.\nb";
    expect(cut(text, postgres).slice(-2)).toEqual(["client \n-- @inbox\n'\t;\n\\.", 'word b']);
    expect(cut('COPY t FROM stdin;\n\\.\nb', postgres).at(-1)).toBe('word b');
    expect(cut("COPY t FROM 'file';\nb", postgres).at(-1)).toBe('word b');
  });

  it('takes an opening bracket for a symbol', () => {
    expect(cut('a int[]', postgres)).toEqual(['word a', 'word int', 'symbol [', 'symbol ]']);
  });
});

describe('SQLite', () => {
  it('does not nest block comments', () => {
    expect(cut('/* a /* b */ c', sqlite)).toEqual(['comment /* a /* b */', 'word c']);
    expect(cut('/*/ a */ b', sqlite)).toEqual(['comment /*/ a */', 'word b']);
  });

  it('lets the end of the file close a block comment', () => {
    const [token] = lex({ path: 'x.sql', text: '/* a' }, sqlite);
    expect(token?.kind).toBe('comment');
    expect(token?.unterminated).toBeUndefined();
  });

  it('reads names in three kinds of quotes, and keeps their case', () => {
    expect(values('"a""b" `c``d` [e"f] G', sqlite)).toEqual(['a"b', 'c`d', 'e"f', 'G']);
  });

  it('reads blobs and strings, in which a backslash is itself', () => {
    expect(cut(String.raw`X'00' 'a\' b`, sqlite)).toEqual([
      "string X'00'",
      String.raw`string 'a\'`,
      'word b',
    ]);
  });

  it("leaves its shell's commands to the shell, between statements only", () => {
    expect(cut(".mode csv 'x\na", sqlite)).toEqual(
      [".mode csv 'x", 'a'].map((text, index) => (index === 0 ? `client ${text}` : `word ${text}`)),
    );
    expect(cut('a\n.b', sqlite)).toEqual(['word a', 'symbol .', 'word b']);
  });

  it('takes a dollar sign for no quote', () => {
    expect(cut("$$ 'a'", sqlite)).toEqual(['symbol $', 'symbol $', "string 'a'"]);
  });
});

describe('what MySQL and MariaDB will need', () => {
  it('wants white space behind --, and takes # too', () => {
    expect(cut('--@inbox\n-- x\n# y\n--', mysql)).toEqual([
      'symbol -',
      'symbol -',
      'symbol @',
      'word inbox',
      'comment -- x',
      'comment # y',
      'comment --',
    ]);
  });

  it('reads backslash strings in both quotes and names in backticks', () => {
    expect(values(String.raw`'a\'b' "c\"d""e" ${'`f``g`'}`, mysql)).toEqual([
      "a'b",
      'c"d"e',
      'f`g',
    ]);
  });

  it('reads what stands in code comments', () => {
    expect(cut('a /*!50100 b */ /*M!100201 c */ /*! d*/ e', mysql)).toEqual([
      'word a',
      'gate /*!50100',
      'word b',
      'gate */',
      'gate /*M!100201',
      'word c',
      'gate */',
      'gate /*!',
      'word d',
      'gate */',
      'word e',
    ]);
    expect(cut('/*!999999\\- enable the sandbox mode */ a', mysql)).toEqual([
      'comment /*!999999\\- enable the sandbox mode */',
      'word a',
    ]);
  });

  it('are not there where a rule says that they are for another server', () => {
    const rules: LexicalRules = {
      ...mysql,
      blockComments: {
        ...mysql.blockComments,
        code: (opener, version) => opener === '/*M!' && version >= 100_000,
      },
    };
    expect(cut('a /*!50100 b */ /*M!100201 c */ /*! d */ e', rules)).toEqual([
      'word a',
      'client /*!50100 b */',
      'gate /*M!100201',
      'word c',
      'gate */',
      'client /*! d */',
      'word e',
    ]);
  });

  it('lets a DELIMITER line say what ends a statement', () => {
    expect(cut('DELIMITER //\na; b//\nDELIMITER ;\nc;', mysql)).toEqual([
      'client DELIMITER //',
      'word a',
      'symbol ;',
      'word b',
      'terminator //',
      'client DELIMITER ;',
      'word c',
      'terminator ;',
    ]);
  });

  it('lets a name begin with a digit', () => {
    expect(cut('2fa_codes 12 0x1F 1e5', mysql)).toEqual([
      'word 2fa_codes',
      'number 12',
      'number 0x1F',
      'number 1e5',
    ]);
  });
});

describe('damaged text', () => {
  const unterminated = ["'a", '"a', "E'a\\", '$$a', '$tag$a $$', '/* a /* b */', 'U&"a'];

  it.each(unterminated)('runs to the end of the file: %s', (text) => {
    const tokens = lex({ path: 'x.sql', text: `x ${text}` }, postgres);
    expect(tokens.at(-1)?.unterminated).toBe(true);
    expect(tokens.at(-1)?.span.end).toBe(text.length + 2);
  });

  it.each(['`a', '[a', '"a', "'a", "X'a"])('does so in SQLite: %s', (text) => {
    expect(lex({ path: 'x.sql', text }, sqlite).at(-1)?.unterminated).toBe(true);
  });

  it('takes time that grows with the length, whatever is opened and never closed', () => {
    for (const piece of [
      '{{',
      '${',
      '$a',
      "'",
      '/*',
      '(',
      '\\',
      '@a',
      ':',
      '$a$',
      'U&"',
      '--',
      '/*!',
    ]) {
      for (const rules of [postgres, sqlite, mysql]) {
        const text = `${piece} `.repeat(100_000);
        const start = performance.now();
        lex({ path: 'x.sql', text }, rules);
        // A quadratic lexer takes minutes here; this one some tens of milliseconds.
        expect(performance.now() - start, piece).toBeLessThan(5_000);
      }
    }
  });
});
