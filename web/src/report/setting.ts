/** A choice that this browser remembers, where it keeps anything. */
import { useState } from 'react';

export function useSetting<Value extends string>(name: string, first: Value): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => kept(name) as Value | null ?? first);
  const keep = (next: Value) => {
    setValue(next);
    try {
      localStorage.setItem(name, next);
    } catch {
      // It then holds until the page is left.
    }
  };
  return [value, keep];
}

function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
