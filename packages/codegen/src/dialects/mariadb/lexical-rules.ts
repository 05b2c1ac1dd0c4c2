import type { LexicalRules } from '../../source/lexer.js';
import { lexicalRulesWith } from '../mysql-family/lexical-rules.js';

/** MariaDB runs what is for its own versions, and of MySQL's what came before the two parted. */
export const lexicalRules: LexicalRules = lexicalRulesWith(
  (opener, version) => opener === '/*M!' || version < 50_700 || version >= 100_000,
);
