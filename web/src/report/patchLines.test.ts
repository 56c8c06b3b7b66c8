import { expect, test } from 'vitest';
import { kindsOf } from './patchLines';

test('names of files are no lines of them, and a removed comment is one', () => {
  const patch = ['--- a/q.sql', '+++ b/q.sql', '@@ -1,2 +1 @@', '--- an old remark', ' select 1;', '--- a/r.sql', '+++ b/r.sql', '@@ -1 +1 @@', '+++ counted'];
  expect(kindsOf(patch)).toEqual(['meta', 'meta', 'meta', 'removed', 'kept', 'meta', 'meta', 'meta', 'added']);
});
