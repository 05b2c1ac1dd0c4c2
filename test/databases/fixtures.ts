import { readFileSync } from 'node:fs';

/** The DDL of the suite's tables for a database, from `fixtures/suite`. */
export function fixtureSchema(database: string): string {
  return ['', '-types', '-locks', '-lock-keys']
    .map((part) => new URL(`../../fixtures/suite/${database}${part}.sql`, import.meta.url))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}
