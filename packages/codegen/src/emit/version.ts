/** The tool's version, as in its package.json. It stands in the barrel, and nowhere else. */
export const version = '0.1.0';
