/** Who uses the page, and what that role may do. */
import { createContext, type ReactNode, useContext } from 'react';
import useSWR from 'swr';
import type { Shape } from '../api/client';
import { Problem } from '../api/problem';

export type Role = 'read' | 'submit' | 'post' | 'admin';

export type Me = Shape<'Me'>;

interface Session {
  me: Me | null;
  problem: Problem | null;
  again: () => void;
}

const Context = createContext<Session>({ me: null, problem: null, again: () => undefined });

export function SessionProvider({ children }: { children: ReactNode }) {
  const { data, error, mutate } = useSWR<Me, Error>('/api/me');
  const problem = error ? (error instanceof Problem ? error : new Problem(0, '', error.message, '')) : null;
  return <Context value={{ me: data ?? null, problem, again: () => void mutate() }}>{children}</Context>;
}

export function useMe(): Session {
  return useContext(Context);
}

/** Whether the signed-in role may do this: what it may not is not offered. */
export function useMay(role: Role): boolean {
  const { me } = useMe();
  return me !== null && (me.roles.includes(role) || me.roles.includes('admin'));
}
