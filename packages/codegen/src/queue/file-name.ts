/**
 * A table's name as a file name without extension that every file system takes: separators, control
 * characters, dots (`.d` and `.test` mean something to tools) and what Windows refuses become `_`; so
 * does an end of blanks. A Windows device
 * (`con`, `lpt1`) and the barrel's own `index` get an underscore behind them.
 */
export function fileName(table: string): string {
  const safe = table
    .normalize('NFC')
    // eslint-disable-next-line no-control-regex -- a file name must not hold any of these
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\\/:*?"<>|%#.]/gu, '_')
    .replace(/\p{Surrogate}/gu, '_')
    .replace(/^\s+|\s+$/gu, (end) => '_'.repeat(end.length));
  const name = safe === '' ? '_' : safe;
  return taken.test(name) ? `${name}_` : name;
}

/** Two file names that are one on a disk that does not tell upper from lower case. */
export function fileKey(file: string): string {
  return file.toLowerCase().normalize('NFC');
}

const taken = /^(?:index|con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/iu;
