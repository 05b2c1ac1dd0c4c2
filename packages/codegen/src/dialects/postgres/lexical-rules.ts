import type { LexicalRules } from '../../source/lexer.js';

/**
 * How PostgreSQL, and psql around it, cut text: chapter 4.1 of the manual, psql's page for backslash
 * commands and COPY data.
 */
export const lexicalRules: LexicalRules = {
  lineComments: [{ opener: '--', blankAfter: false, lineStart: false }],
  blockComments: { nest: true, endOfFileCloses: false, code: false },
  quotes: [
    { kind: 'string', openers: ["'"], closer: "'", escapes: 'doubled' },
    { kind: 'string', openers: ["E'", "e'"], closer: "'", escapes: 'backslash' },
    {
      kind: 'string',
      openers: ["B'", "b'", "X'", "x'", "N'", "n'"],
      closer: "'",
      escapes: 'doubled',
    },
    { kind: 'string', openers: ["U&'", "u&'"], closer: "'", escapes: 'unicode' },
    { kind: 'name', openers: ['"'], closer: '"', escapes: 'doubled' },
    { kind: 'name', openers: ['U&"', 'u&"'], closer: '"', escapes: 'unicode' },
  ],
  dollarQuotes: true,
  bareNames: { fold: 'lower', digitFirst: false },
  client: { backslash: true, dot: false, delimiter: false, copyData: true },
  bodies: {
    of: ['FUNCTION', 'PROCEDURE'],
    opener: ['BEGIN', 'ATOMIC'],
    parenthesised: ['RULE'],
  },
};
