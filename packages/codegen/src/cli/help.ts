import { exitCodes, flags, type Flag } from './flags.js';

/** What `--help` prints: one screen. */
export function helpText(): string {
  const rows = flags.map((flag) => [formOf(flag), flag.help] as const);
  const width = Math.max(...rows.map(([form]) => form.length));
  const lines = rows.map(([form, help]) => `  ${form.padEnd(width)}  ${help}`);
  return `Typed queues from the tables you already have.

  inbox-gen schema.sql -o src/generated

Usage: inbox-gen <file|-> [...] -o DIR [flags]      (- reads standard input)

${lines.join('\n')}

Exit codes:
${exitCodes.map(({ code, meaning }) => `  ${code}  ${meaning}`).join('\n')}
`;
}

/** The reference of the flags for docs/cli.md: a Markdown table. */
export function flagTable(): string {
  const rows = flags.map((flag) => `| \`${formOf(flag)}\` | ${flag.help} |`);
  return `| flag | meaning |\n| --- | --- |\n${rows.join('\n')}\n`;
}

/** The exit codes for docs/cli.md: a Markdown table. */
export function exitCodeTable(): string {
  const rows = exitCodes.map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  return `| exit code | meaning |\n| --- | --- |\n${rows.join('\n')}\n`;
}

function formOf({ name, short, value }: Flag): string {
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  return short === undefined ? long : `-${short}, ${long}`;
}
