import { identifier, reservedWords } from '../queue/names.js';

/** A string literal in single quotes that means exactly this text. */
export function stringLiteral(text: string): string {
  return `'${text.replace(/['\\\p{Cc}\u2028\u2029\ufeff\p{Surrogate}]/gu, escaped)}'`;
}

/**
 * A template literal that means exactly this text and reads like it: only what would end the
 * literal, begin a substitution or not come back as it was is escaped. A carriage return is such a
 * thing: JavaScript reads it as a line feed.
 */
export function templateLiteral(text: string): string {
  const safe = text
    .replace(/[`\\]|\$(?=\{)/g, '\\$&')
    .replace(/[^\P{Cc}\n\t]|[\u2028\u2029\ufeff\p{Surrogate}]/gu, escaped);
  return `\`${safe}\``;
}

/** A property's name where a type or an object literal declares it. */
export function propertyKey(name: string): string {
  // Bare or quoted, this one would set an object's prototype.
  if (name === '__proto__') return "['__proto__']";
  return identifier.test(name) ? name : stringLiteral(name);
}

/** A property of an object. */
export function propertyAccess(object: string, name: string): string {
  return identifier.test(name) ? `${object}.${name}` : `${object}[${stringLiteral(name)}]`;
}

/**
 * Names of local variables, one for each property: the property's own where that is an identifier
 * that means nothing else here, else that name with a number. `taken` are the names in use.
 */
export function localNames(
  properties: readonly string[],
  taken: readonly string[],
): readonly string[] {
  const used = new Set([...taken, ...reservedWords]);
  return properties.map((property) => {
    const base = identifier.test(property) ? property : 'cell';
    let name = base;
    for (let number = 2; used.has(name); number++) name = `${base}${number}`;
    used.add(name);
    return name;
  });
}

/**
 * Lines of text as they can stand in a JSDoc block: nothing ends the block, and no line begins with
 * something that a tool would take for a tag.
 */
export function docText(text: string): string {
  return text
    .replace(/\*(?=\/)/g, '*\\')
    .replace(/\{(?=@)/g, '{\\')
    .replace(/^(\s*\**\s*)@/gmu, '$1\\@')
    .replace(/[^\P{Cc}\n]|[\u2028\u2029\ufeff\p{Bidi_Control}\p{Surrogate}]/gu, ' ');
}

/** Source text as Markdown code, in one line, whatever backticks it holds. */
export function docCode(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return docText(`${fence}${pad}${line}${pad}${fence}`);
}

/** A text on one line of a `//` comment. */
export function lineCommentText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\ufeff\p{Bidi_Control}\p{Surrogate}]/gu, ' ');
}

function escaped(character: string): string {
  switch (character) {
    case "'":
    case '\\':
      return `\\${character}`;
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return '\\t';
    default:
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  }
}
