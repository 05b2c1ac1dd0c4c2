import { importExtensions } from '../emit/import-extension.js';
import { dialectNames } from '../table/dialect-names.js';

/** The name of a flag. */
export type FlagName =
  'out' | 'dialect' | 'import-extension' | 'check' | 'print' | 'quiet' | 'version' | 'help';

/** One flag of the command line: what parsing, `--help` and docs/cli.md are made from. */
export interface Flag {
  readonly name: FlagName;
  readonly short?: string;
  /** What its value is called; absent where it takes none. */
  readonly value?: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** May be given several times, or several values with commas. */
  readonly several?: boolean;
  /** One sentence without a full stop, as `--help` shows it. */
  readonly help: string;
}

/** Every flag, in the order of `--help`. */
export const flags: readonly Flag[] = [
  {
    name: 'out',
    short: 'o',
    value: 'DIR',
    help: 'the folder to write the modules and their index.ts to',
  },
  {
    name: 'dialect',
    value: 'NAME',
    choices: dialectNames,
    several: true,
    help: 'the database of files that do not say it: postgres, mysql, mariadb or sqlite, or several',
  },
  {
    name: 'import-extension',
    value: 'WORD',
    choices: importExtensions,
    help: "what index.ts writes behind a module's name: js (the default), ts or none",
  },
  {
    name: 'check',
    help: 'write nothing; show what is not as the schema says, and exit 1 if anything is',
  },
  {
    name: 'print',
    help: 'write nothing; print the modules to standard output',
  },
  {
    name: 'quiet',
    help: 'say nothing but errors',
  },
  {
    name: 'version',
    help: 'print the version',
  },
  {
    name: 'help',
    short: 'h',
    help: 'print this',
  },
];

/** What the exit codes mean, as `--help` and docs/cli.md say it. */
export const exitCodes: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: 0, meaning: 'nothing to report, or warnings only' },
  { code: 1, meaning: 'the schema has errors, or --check found a difference' },
  {
    code: 2,
    meaning: 'the job could not be done: a wrong flag, a file that cannot be read or written',
  },
];
