import { randomBytes } from 'node:crypto';
import mysql from 'mysql2/promise';
import type { Dialect } from '../../src/dialects/dialect.js';
import { mariadb } from '../../src/dialects/mariadb/index.js';
import { mysql as mysqlDialect } from '../../src/dialects/mysql/index.js';
import type { ListStatement, Statement } from '../../src/dialects/statements.js';

/** A server of the family, and the variable that names one. */
export interface FamilyServer {
  readonly dialect: Dialect;
  readonly variable: 'MYSQL_URL' | 'MARIADB_URL';
}

/** Both servers: every test of the family runs on each. */
export const familyServers: readonly FamilyServer[] = [
  { dialect: mysqlDialect, variable: 'MYSQL_URL' },
  { dialect: mariadb, variable: 'MARIADB_URL' },
];

/** What a statement's value may be: as the runtime's driver sends them. */
export type Given = string | number | Buffer | null;

/** A connection to a database of the test's own. */
export interface FamilyConnection {
  /** Runs a text as it stands. */
  readonly run: (sql: string) => Promise<void>;
  /** Prepares and executes a text; its rows, every cell as text. */
  readonly rows: (sql: string, values?: readonly Given[]) => Promise<readonly Cells[]>;
  /** Executes a statement, with a list or without, with values by their names. */
  readonly execute: (
    statement: Statement | ListStatement,
    values?: Readonly<Record<string, Given>>,
    each?: readonly Readonly<Record<string, Given>>[],
  ) => Promise<readonly Cells[]>;
  /** Prepares a text: how many values it takes. */
  readonly parameters: (sql: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** A row, every cell as text. */
export type Cells = readonly (string | null)[];

/** A database of the test's own on a server, which `close` drops. */
export interface FamilyDatabase {
  readonly connect: (settings?: readonly string[]) => Promise<FamilyConnection>;
  /** Ends its connections, and with them what they hold. */
  readonly disconnect: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Makes a database on a server; throws where its variable names none. */
export async function openFamilyDatabase({ variable }: FamilyServer): Promise<FamilyDatabase> {
  const name = `inbox_${process.pid}_${randomBytes(4).toString('hex')}`;
  const uri = serverUrl(variable);
  const keeper = await mysql.createConnection({ uri });
  await keeper.query(`CREATE DATABASE ${name}`);
  const open: FamilyConnection[] = [];
  const disconnect = async (): Promise<void> => {
    await Promise.all(open.splice(0).map((connection) => connection.close()));
  };
  return {
    async connect(settings = []) {
      const connection = await mysql.createConnection({ uri, database: name });
      for (const setting of settings) await connection.query(`SET ${setting}`);
      const made = connectionOver(connection);
      open.push(made);
      return made;
    },
    disconnect,
    async close() {
      await disconnect();
      await keeper.query(`DROP DATABASE ${name}`);
      await keeper.end();
    },
  };
}

function connectionOver(connection: mysql.Connection): FamilyConnection {
  const rows = async (sql: string, values: readonly Given[] = []): Promise<readonly Cells[]> => {
    const [answer] = await connection.execute({
      sql,
      values: [...values],
      rowsAsArray: true,
      typeCast: true,
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      namedPlaceholders: false,
    });
    return Array.isArray(answer) ? (answer as unknown as Raw[]).map(asText) : [];
  };
  return {
    run: async (sql) => {
      await connection.query(sql);
    },
    rows,
    execute: (statement, values = {}, each = []) => {
      const named = (names: readonly string[], given: Readonly<Record<string, Given>>): Given[] =>
        names.map((name) => {
          const value = given[name];
          if (value === undefined) throw new Error(`no value for ${name}`);
          return value;
        });
      if ('text' in statement) return rows(statement.text, named(statement.values, values));
      const { before, item, separator, after } = statement;
      const text = before + each.map(() => item).join(separator) + after;
      const list = each.flatMap((given) => named(statement.each, given));
      return rows(text, [...named(statement.values, values), ...list]);
    },
    parameters: async (sql) => {
      const prepared = await connection.prepare(sql);
      const { parameters } = (prepared as unknown as { statement: { parameters: unknown[] } })
        .statement;
      await prepared.close();
      return parameters.length;
    },
    close: () => connection.end(),
  };
}

/** A row as the driver gives it: even so there are numbers, such as a COUNT's. */
type Raw = readonly (string | number | null)[];

function asText(cells: Raw): Cells {
  return cells.map((cell) => (cell === null ? null : String(cell)));
}

function serverUrl(variable: FamilyServer['variable']): string {
  const url = process.env[variable];
  if (url === undefined || url === '') {
    throw new Error(`${variable} is not set: run \`npm test\`, which starts a server, or name one`);
  }
  return url;
}
