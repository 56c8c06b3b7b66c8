/** A choice that this browser remembers. */
import { useState } from 'react';

export function useSetting<Value extends string>(name: string, first: Value): [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => (localStorage.getItem(name) as Value | null) ?? first);
  const keep = (next: Value) => {
    setValue(next);
    localStorage.setItem(name, next);
  };
  return [value, keep];
}
