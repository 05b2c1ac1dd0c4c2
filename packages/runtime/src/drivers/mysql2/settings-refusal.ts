import type { MysqlForm, Settings } from './server-limits.js';
import type { MysqlServer } from './server.js';

/** The settings to be read for `settingsRefusal`. */
export const refusingSettings: readonly string[] = [
  'binlog_format',
  'log_bin',
  'sql_log_bin',
  'sql_safe_updates',
  'transaction_read_only',
  'tx_read_only',
];

/**
 * Why a session with these settings cannot work a table, and what to do about it, in one or two
 * sentences; none where it can. No statement of ours would be refused before it is too late.
 */
export function settingsRefusal(
  settings: Settings,
  { label, safeUpdatesRefuse }: MysqlServer,
  form: MysqlForm,
): string | undefined {
  const isOn = (name: string): boolean => settings.get(name) === 'ON';
  // One name is MySQL's, the other MariaDB's.
  if (isOn('transaction_read_only') || isOn('tx_read_only')) {
    return 'the sessions of this pool are read-only by default (transaction_read_only). Give a pool whose sessions may write';
  }
  // What is claimed and settled in READ COMMITTED cannot be logged as statements.
  if (isOn('log_bin') && isOn('sql_log_bin') && settings.get('binlog_format') === 'STATEMENT') {
    return 'the server logs statements (binlog_format = STATEMENT), and so refuses to write in READ COMMITTED. Set binlog_format to ROW or MIXED';
  }
  if (isOn('sql_safe_updates') && safeUpdatesRefuse.includes(form)) {
    return `with sql_safe_updates, ${label} refuses to delete by a list of keys, as the ${form} form does. Leave it off for the sessions of this pool`;
  }
  return undefined;
}
