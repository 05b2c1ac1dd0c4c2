import type { Diagnostic } from '../../source/diagnostic.js';
import type { SourceStatement } from '../../source/statements.js';
import { sqlOf } from '../../source/token.js';
import type { Table } from '../../table/table.js';
import { nodeSqlParser, property } from '../ddl/node-sql-parser.js';
import { normalisedDdl, writtenType } from '../ddl/normalised-ddl.js';
import { opinionOn, type OpinionParser } from '../ddl/opinion.js';
import { nameKey } from './name-key.js';
import { knownType, type TypeNames } from './type-names.js';

/**
 * What node-sql-parser makes of the same statement: as written, else with only columns and key, else
 * with stand-ins for types and defaults. Its build for MySQL is asked first for MariaDB too, since it
 * reads more of both: 97 of 100 real tables as they are written.
 */
export function secondOpinionWith(
  names: TypeNames,
): (statement: SourceStatement, table: Table) => readonly Diagnostic[] {
  const parser = parserWith(names);
  return (statement, table) => {
    const columnsAndKey = { type: writtenType, default: (sql: string) => sql };
    const standIns = { type: () => 'TEXT', default: () => "'x'" };
    const texts = [
      { sql: () => sqlOf(statement.tokens), standIns: false },
      { sql: () => normalisedDdl(table, columnsAndKey, quoteAlways), standIns: false },
      { sql: () => normalisedDdl(table, standIns, quoteAlways), standIns: true },
    ];
    return opinionOn(table, parser, texts, nameKey);
  };
}

function parserWith(names: TypeNames): OpinionParser {
  return nodeSqlParser(['mysql', 'mariadb'], (definition) => {
    const written = property(definition, 'dataType');
    const length = property(definition, 'length');
    // It knows the one name for two types: CHAR BYTE, and the character set `binary`.
    if (typeof written !== 'string' || /CHAR|TEXT/.test(written)) return undefined;
    const suffix = property(definition, 'suffix');
    const type = knownType(
      {
        words: written.toUpperCase(),
        ...(typeof length === 'number' && { length }),
        unsigned:
          Array.isArray(suffix) && suffix.some((word) => /unsigned|zerofill/i.test(String(word))),
        binary: false,
      },
      names,
    );
    return { written, type };
  });
}

function quoteAlways(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
