import type { LexicalRules } from '../../source/lexer.js';

/** How SQLite, and its shell around it, cut text: `tokenize.c` and the shell's manual. */
export const lexicalRules: LexicalRules = {
  lineComments: [{ opener: '--', blankAfter: false, lineStart: false }],
  blockComments: { nest: false, endOfFileCloses: true, code: false },
  quotes: [
    { kind: 'string', openers: ["'"], closer: "'", escapes: 'doubled' },
    { kind: 'string', openers: ["X'", "x'"], closer: "'", escapes: 'doubled' },
    { kind: 'name', openers: ['"'], closer: '"', escapes: 'doubled' },
    { kind: 'name', openers: ['`'], closer: '`', escapes: 'doubled' },
    { kind: 'name', openers: ['['], closer: ']', escapes: 'none' },
  ],
  dollarQuotes: false,
  bareNames: { fold: 'as-written', digitFirst: false },
  client: { backslash: false, dot: true, delimiter: false, copyData: false },
  bodies: { of: ['TRIGGER'], opener: ['BEGIN'], parenthesised: [] },
};
