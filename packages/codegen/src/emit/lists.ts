/** How wide a line of generated code may be before a list is broken into lines. */
const width = 100;

/**
 * A list in brackets: on one line where that fits behind `indent` blanks and `before` characters,
 * else one item a line. An empty item is a hole.
 */
export function listLiteral(
  brackets: '[]' | '{}',
  items: readonly string[],
  place: { readonly indent: number; readonly before: number },
): string {
  const [open = '', close = ''] = brackets;
  const blank = brackets === '{}' ? ' ' : '';
  const flat = `${open}${blank}${items.join(', ')}${blank}${close}`;
  if (items.length === 0) return `${open}${close}`;
  if (place.indent + place.before + flat.length < width) return flat;
  const inner = ' '.repeat(place.indent + 2);
  const lines = items.map((item) => `${inner}${item},\n`).join('');
  return `${open}\n${lines}${' '.repeat(place.indent)}${close}`;
}

/** Words in brackets like `listLiteral`, but as many on a line as fit. */
export function filledList(
  items: readonly string[],
  place: { readonly indent: number; readonly before: number },
): string {
  const flat = `[${items.join(', ')}]`;
  if (place.indent + place.before + flat.length < width) return flat;
  const inner = ' '.repeat(place.indent + 2);
  const lines: string[] = [];
  let line = inner;
  for (const item of items) {
    if (line !== inner && line.length + item.length + 2 > width) {
      lines.push(line.trimEnd());
      line = inner;
    }
    line += `${item}, `;
  }
  lines.push(line.trimEnd());
  return `[\n${lines.join('\n')}\n${' '.repeat(place.indent)}]`;
}
