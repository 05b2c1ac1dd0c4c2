import type { CodeRule, LexicalRules } from '../../source/lexer.js';

/**
 * How MySQL and MariaDB, and the mysql client around them, cut text: the manuals' chapters on
 * lexical structure, in the default SQL mode. `code` says which `/*! … *\/` the server runs.
 */
export function lexicalRulesWith(code: CodeRule): LexicalRules {
  return {
    lineComments: [
      { opener: '--', blankAfter: true, lineStart: false },
      { opener: '#', blankAfter: false, lineStart: false },
    ],
    blockComments: { nest: false, endOfFileCloses: false, code },
    quotes: [
      { kind: 'string', openers: ["'", "N'", "n'"], closer: "'", escapes: 'backslash' },
      { kind: 'string', openers: ['"', 'N"', 'n"'], closer: '"', escapes: 'backslash' },
      { kind: 'string', openers: ["X'", "x'", "B'", "b'"], closer: "'", escapes: 'none' },
      { kind: 'name', openers: ['`'], closer: '`', escapes: 'doubled' },
    ],
    dollarQuotes: false,
    bareNames: { fold: 'as-written', digitFirst: true },
    client: { backslash: false, dot: false, delimiter: true, copyData: false },
    bodies: {
      of: ['TRIGGER', 'FUNCTION', 'PROCEDURE', 'EVENT', 'PACKAGE'],
      opener: ['BEGIN'],
      parenthesised: [],
    },
  };
}
