import { describe, expect, test } from 'vitest';
import { codeFrame } from '../../src/cli/frame.js';
import type { Span } from '../../src/source/source.js';

function spanOf(text: string, part: string): Span {
  const start = text.indexOf(part);
  return { source: { path: 'a.sql', text }, start, end: start + part.length };
}

/** The frame's last two lines behind the gutter: the cause's line and the carets. */
function caretsOf(text: string, part: string): readonly string[] {
  const [line = '', carets = ''] = codeFrame(spanOf(text, part)).split('\n').slice(-2);
  return [line.slice(7), carets.slice(7)];
}

describe('a frame', () => {
  test('shows two lines before the cause, and carets under it', () => {
    expect(codeFrame(spanOf('a\nb\nc\n  cause here\nd', 'cause'))).toBe(
      '   2 | b\n   3 | c\n   4 |   cause here\n     |   ^^^^^',
    );
  });

  test('counts lines of any ending', () => {
    expect(codeFrame(spanOf('a\r\nb\rc\nx', 'x'))).toBe('   2 | b\n   3 | c\n   4 | x\n     | ^');
  });

  test('keeps tabs under tabs', () => {
    expect(caretsOf('\ta\tcause', 'cause')).toEqual(['\ta\tcause', '\t \t^^^^^']);
  });

  test('is two wide under wide characters, and not wide under combining marks', () => {
    expect(caretsOf('漢字 cause', 'cause')).toEqual(['漢字 cause', '     ^^^^^']);
    expect(caretsOf('😀cause', 'cause')).toEqual(['😀cause', '  ^^^^^']);
    expect(caretsOf('e\u0301cause', 'cause')).toEqual(['e\u0301cause', ' ^^^^^']);
    expect(caretsOf('x 漢字', '漢字')).toEqual(['x 漢字', '  ^^^^']);
  });

  test('marks the first line of a cause of several', () => {
    expect(caretsOf('x (a\nb)', '(a\nb)')).toEqual(['x (a', '  ^^']);
  });

  test('marks a place without a length', () => {
    expect(caretsOf('abc', '')).toEqual(['abc', '^']);
  });

  test('shows the cause of a very long line, not the line', () => {
    const [line = '', carets = ''] = caretsOf(
      `${'x'.repeat(5000)}cause${'y'.repeat(5000)}`,
      'cause',
    );
    expect(line.length).toBeLessThan(130);
    expect(line.slice(carets.indexOf('^'), carets.indexOf('^') + 5)).toBe('cause');
  });

  test('sends nothing to a terminal that it would act on', () => {
    expect(caretsOf('\u001b[31mcause', 'cause')).toEqual(['\ufffd[31mcause', '     ^^^^^']);
  });
});
