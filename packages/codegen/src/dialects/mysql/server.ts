import type { Server } from '../mysql-family/server.js';

/** MySQL: a hint in the statement sets the zone (8.0.17 and later), and an INSERT answers no rows. */
export const server: Server = {
  inUtc: (text) =>
    text.replace(/^\s*(?:SELECT|UPDATE|DELETE|INSERT)/, "$& /*+ SET_VAR(time_zone = '+00:00') */"),
  insertReturning: false,
};
