/** What differs between MySQL and MariaDB in the SQL of a queue. */
export interface Server {
  /** Runs a statement with the session's zone set to UTC, for columns that live in that zone. */
  inUtc(text: string): string;
  /** True where an INSERT can answer the rows it wrote. */
  readonly insertReturning: boolean;
}
