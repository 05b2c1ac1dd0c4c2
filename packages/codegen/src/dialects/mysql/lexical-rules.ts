import type { LexicalRules } from '../../source/lexer.js';
import { lexicalRulesWith } from '../mysql-family/lexical-rules.js';

/** MySQL runs what is for its own versions; six digits are MariaDB's, and so is the `M`. */
export const lexicalRules: LexicalRules = lexicalRulesWith(
  (opener, version) => opener === '/*!' && version < 100_000,
);
