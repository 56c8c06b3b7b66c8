import { expect, test } from 'vitest';
import { tabTitle } from './title';

test('the tab shows what would turn its text around', () => {
  expect(tabTitle('pay\u202egpj.exe\u0007')).toBe('pay<U+202E>gpj.exe␇ · Affidavit');
  expect(tabTitle('')).toBe('Affidavit');
});
