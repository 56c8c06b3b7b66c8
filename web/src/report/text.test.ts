import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeLine, decoded, isCut, oneLine, visible, wholeLine, sentence } from './text';

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

test('a line is cut exactly where it is said to be, and the whole of it is there', () => {
  fc.assert(fc.property(fc.string({ maxLength: 30 }), fc.nat(300), (text, times) => {
    const line = text.repeat(times);
    expect(isCut(line)).toBe(codeLine(line) !== wholeLine(line));
  }));
  expect(codeLine('x'.repeat(2_001))).toHaveLength(2_001);
  expect(wholeLine('x'.repeat(9_000))).toHaveLength(9_000);
});

test('a first sentence ends where the next begins, not inside a name', () => {
});

test('an address that was cut off is no error', () => {
  expect(decoded('finding-%C3%A9')).toBe('finding-é');
  expect(decoded('finding-%C')).toBe('finding-%C');
});

test('a sentence begins with a capital letter, but for names that are written as they are', () => {
  expect(sentence('the forge does not answer')).toBe('The forge does not answer.');
  expect(sentence('example.com is no forge')).toBe('example.com is no forge.');
  expect(sentence('api.github.com cannot be found')).toBe('api.github.com cannot be found.');
  expect(['`main` is gone.', 'src/app.py has no end', ''].map(sentence)).toEqual(['`main` is gone.', 'src/app.py has no end.', '']);
});

test('what did not run and what to do are two sentences', () => {
});
