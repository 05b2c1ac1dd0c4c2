import type {
  MysqlConnection,
  MysqlPool,
  MysqlPoolConnection,
  MysqlQuery,
} from 'inbox-runtime/mysql2';

type Answer = ReturnType<MysqlConnection['query']>;

/**
 * The same pool, but `watch` runs every statement of its connections: to count them, to hold one
 * connection between two statements, or to lose it.
 */
export function watchedPool(
  pool: MysqlPool,
  watch: (sql: string, run: () => Answer, connection: MysqlPoolConnection) => Answer,
): MysqlPool {
  return {
    async getConnection() {
      const connection = await pool.getConnection();
      return {
        execute: (query: MysqlQuery) =>
          watch(query.sql, () => connection.execute(query), connection),
        query: (query: MysqlQuery) => watch(query.sql, () => connection.query(query), connection),
        prepare: (sql: string) => connection.prepare(sql),
        unprepare: (sql: string) => connection.unprepare(sql),
        release: () => {
          connection.release();
        },
        destroy: () => {
          connection.destroy();
        },
      };
    },
  };
}

/** The same pool, and the texts of what it sends. */
export function countedPool(pool: MysqlPool): {
  readonly pool: MysqlPool;
  readonly texts: string[];
} {
  const texts: string[] = [];
  return {
    texts,
    pool: watchedPool(pool, (sql, run) => {
      texts.push(sql);
      return run();
    }),
  };
}
