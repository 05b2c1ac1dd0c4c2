import { parseArgs } from 'node:util';
import { importExtensions, type ImportExtension } from '../emit/import-extension.js';
import { didYouMean } from '../source/did-you-mean.js';
import { dialectNames } from '../table/dialect-names.js';
import type { DialectName } from '../table/table.js';
import { flags, type Flag, type FlagName } from './flags.js';

/** What the user asked for. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'generate'; readonly request: GenerateRequest }
  /** A mistake on the command line: nothing runs. */
  | { readonly kind: 'mistake'; readonly message: string; readonly help: string };

/** A request to generate, as the flags say it. */
export interface GenerateRequest {
  /** The schema files as they were given; `-` is standard input. */
  readonly files: readonly string[];
  /** The output folder; absent with `--print` alone. */
  readonly out?: string;
  readonly dialects: readonly DialectName[];
  readonly importExtension: ImportExtension;
  readonly mode: 'write' | 'check' | 'print';
  readonly quiet: boolean;
}

/** Reads the command line by the table of flags. Never throws. */
export function parseCommand(args: readonly string[]): Command {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      flags.map((flag) => [
        flag.name,
        {
          type: flag.value === undefined ? ('boolean' as const) : ('string' as const),
          ...(flag.short !== undefined && { short: flag.short }),
        },
      ]),
    ),
  });
  const files: string[] = [];
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') files.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = flags.find(({ name }) => name === token.name);
    if (flag === undefined) return unknownFlag(token.rawName);
    const problem = valueProblem(flag, token.rawName, token.value);
    if (problem !== undefined) return problem;
    if (given.has(flag.name) && flag.value !== undefined && flag.several !== true) {
      return mistake(`--${flag.name} is given twice`, 'give it once');
    }
    const words = token.value === undefined ? [] : wordsOf(flag, token.value);
    given.set(flag.name, [...(given.get(flag.name) ?? []), ...words]);
  }
  return commandOf(files, given);
}

function commandOf(
  files: readonly string[],
  given: ReadonlyMap<string, readonly string[]>,
): Command {
  const has = (name: FlagName): boolean => given.has(name);
  const words = (name: FlagName): readonly string[] => given.get(name) ?? [];
  if (has('help')) return { kind: 'help' };
  if (has('version')) return { kind: 'version' };
  if (files.length === 0) {
    return mistake('no schema file is given', 'write `inbox-gen schema.sql -o src/generated`');
  }
  if (files.filter((file) => file === '-').length > 1) {
    return mistake('standard input can be read once', 'give one `-`');
  }
  if (has('check') && has('print')) {
    return mistake('--check and --print are two different jobs', 'give one of them');
  }
  const [out] = words('out');
  if (out === undefined && !has('print')) {
    return mistake(
      'no output folder is given',
      'say where to write, `-o src/generated`, or write nothing with --print',
    );
  }
  const mode = has('check') ? 'check' : has('print') ? 'print' : 'write';
  return {
    kind: 'generate',
    request: {
      files,
      ...(out !== undefined && { out }),
      dialects: dialectNames.filter((name) => words('dialect').includes(name)),
      importExtension:
        importExtensions.find((word) => words('import-extension').includes(word)) ?? 'js',
      mode,
      quiet: has('quiet'),
    },
  };
}

function unknownFlag(rawName: string): Command {
  const names = flags.map(({ name }) => name);
  const meant = rawName.startsWith('--') ? didYouMean(rawName.slice(2), names) : undefined;
  const help = meant === undefined ? 'see `inbox-gen --help`' : `did you mean \`--${meant}\`?`;
  return mistake(`there is no flag ${rawName}`, help);
}

function valueProblem(flag: Flag, rawName: string, value: string | undefined): Command | undefined {
  if (flag.value === undefined) {
    if (value === undefined) return undefined;
    return mistake(`${rawName} takes no value`, `write \`${rawName}\``);
  }
  if (value === undefined || value === '' || (value.startsWith('-') && value !== '-')) {
    return mistake(`${rawName} needs a value`, `write \`${rawName} ${flag.value}\``);
  }
  const { choices } = flag;
  if (choices === undefined) return undefined;
  const wrong = wordsOf(flag, value).find((word) => !choices.includes(word));
  if (wrong === undefined) return undefined;
  const meant = didYouMean(wrong, choices);
  return mistake(
    `this version's ${rawName} does not take "${wrong}"`,
    meant === undefined
      ? `it takes ${choices.join(', ')}`
      : `did you mean \`${rawName} ${meant}\`?`,
  );
}

/** The words of a flag's value: one, or with commas between them. */
function wordsOf({ several }: Flag, value: string): readonly string[] {
  return several === true ? value.split(',').map((word) => word.trim()) : [value];
}

function mistake(message: string, help: string): Command {
  return { kind: 'mistake', message, help };
}
