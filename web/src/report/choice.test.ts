import fc from 'fast-check';
import { expect, test } from 'vitest';
import { choiceIn, withChoice } from './choice';
import { EVERYTHING } from './findings';

const values = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 4 });

test('any choice comes back from the address that it makes', () => {
  fc.assert(fc.property(fc.record({ severity: values, category: values, status: values, specialist: values }), (choice) => {
    const address = withChoice(new URLSearchParams('other=1'), choice).toString();
    expect(choiceIn(new URLSearchParams(address))).toEqual(choice);
    expect(new URLSearchParams(address).get('other')).toBe('1');
  }));
});

test('no choice leaves no trace', () => {
  expect(withChoice(new URLSearchParams('severity=high'), EVERYTHING).toString()).toBe('');
});
