import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeLine, oneLine, visible } from './text';

test('what reorders or hides text is made visible', () => {
  expect(visible('a\u202eb')).toBe('a<U+202E>b');
  expect(visible('\x1b[31m')).toBe('␛[31m');
  expect(visible('a\u200bb\ufeff')).toBe('a<U+200B>b<U+FEFF>');
});

test('nothing invisible is left of any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => { expect(visible(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u); }));
});

test('plain text stays as it is', () => {
  expect(visible('naïve – 中文 émigré "quotes" <b>')).toBe('naïve – 中文 émigré "quotes" <b>');
});

test('code keeps its tabs and loses the end of a Windows line', () => {
  expect(codeLine('\tif x:\r')).toBe('\tif x:');
});

test('a title is one line of bounded length', () => {
  fc.assert(fc.property(fc.string(), (text) => { expect(oneLine(text, 50)).not.toContain('\n'); }));
  expect(oneLine('x'.repeat(900), 50)).toHaveLength(50);
});
