import type { Server } from '../mysql-family/server.js';

/** MariaDB: a prefix of the statement sets the zone, and an INSERT answers its rows. */
export const server: Server = {
  inUtc: (text) => text.replace(/^\s*/, "$&SET STATEMENT time_zone = '+00:00' FOR\n"),
  insertReturning: true,
};
