import { createHash } from 'node:crypto';

import type { Statement } from '../../statement.js';
import type { PgText } from './session.js';

/**
 * A statement's text with the name under which connections keep it prepared. The name is made of
 * the text, so that two versions of a module on one pooled connection never meet under one name.
 */
export function pgText(statement: Statement): PgText {
  const hash = createHash('sha256').update(statement.text).digest('base64url').slice(0, 22);
  return { text: statement.text, name: `inbox_${hash}` };
}
