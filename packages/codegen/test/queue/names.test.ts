import { describe, expect, test } from 'vitest';
import { fileKey, fileName } from '../../src/queue/file-name.js';
import { queueNames } from '../../src/queue/names.js';
import { propertyName } from '../../src/queue/properties.js';
import { tableOf } from '../support/tables.js';

/** The row type that a table's name gives. */
function rowOf(name: string): string | undefined {
  const table = tableOf({ name, columns: [] });
  return queueNames(table, { span: table.span }).value?.row;
}

describe('a row type', () => {
  test.each([
    ['report_jobs', 'ReportJobs'],
    ['drives', 'Drives'],
    ['news', 'News'],
    ['reportJobs', 'ReportJobs'],
    ['REPORT_JOBS', 'ReportJobs'],
    ['Report Jobs', 'ReportJobs'],
    ['report-jobs', 'ReportJobs'],
    ['a__b', 'AB'],
    ['λ_jobs', 'ΛJobs'],
    ['2fa_jobs', '_2faJobs'],
    ['j2', 'J2'],
  ])('of table %s is %s', (table, row) => {
    expect(rowOf(table)).toBe(row);
  });

  test.each(['*/', '', '---', 'lease', 'date', 'uint8_array'])(
    'cannot be made of table %j alone',
    (table) => {
      expect(rowOf(table)).toBeUndefined();
    },
  );
});

describe('a property', () => {
  test.each([
    ['tenant_id', 'tenantId'],
    ['id', 'id'],
    ['ID', 'id'],
    ['userID', 'userID'],
    ['UserName', 'userName'],
    ['_id', '_id'],
    ['id_', 'id_'],
    ['__proto__', '__proto___'],
    ['constructor', 'constructor_'],
    ['a b-c', 'aBC'],
    ['2fa', '2fa'],
    ['λ', 'λ'],
    ['*/', '*/'],
    ['', ''],
    ['_', '_'],
    ['"', '"'],
  ])('of column %j is %j', (column, property) => {
    expect(propertyName(column)).toBe(property);
  });
});

describe('a file', () => {
  test.each([
    ['report_jobs', 'report_jobs'],
    ['Report Jobs', 'Report Jobs'],
    ['λ', 'λ'],
    ['../../etc/passwd', '______etc_passwd'],
    ['a\\b:c*d?"<>|#%', 'a_b_c_d_______'],
    ['a\nb\u0000', 'a_b_'],
    ['con', 'con_'],
    ['LPT1.x', 'LPT1_x'],
    ['index', 'index_'],
    ['jobs. ', 'jobs__'],
    ['', '_'],
  ])('of table %j is %j', (table, file) => {
    expect(fileName(table)).toBe(file);
  });

  test('is the same one in any case and in either form of an accent', () => {
    expect(fileKey('Jobs')).toBe(fileKey('jobs'));
    expect(fileKey('caf\u00e9')).toBe(fileKey('cafe\u0301'));
  });
});
