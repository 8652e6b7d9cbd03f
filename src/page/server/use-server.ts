/** What the server says of itself, asked for now and then: its configuration, its health, and who waits for a person. */
import { useQuery } from '@tanstack/react-query';
import { blockedStatuses } from '../../contract/run-view.ts';
import { useClient } from './client-context.tsx';

export function useConfig() {
  const client = useClient();
  return useQuery({ queryKey: ['config'], queryFn: () => client.config(), staleTime: Infinity }).data;
}

export function useHealth() {
  const client = useClient();
  return useQuery({ queryKey: ['health'], queryFn: () => client.health(), refetchInterval: 10_000 });
}

/** Whether the server wants a token that it was not given. */
export function useNeedsToken(): boolean {
  const client = useClient();
  const { error } = useQuery({ queryKey: ['config'], queryFn: () => client.config(), staleTime: Infinity });
  return (error as { readonly code?: string } | null)?.code === 'NOT_SIGNED_IN';
}

/** Runs by status, whatever the filter of a list is. */
export function useCounts() {
  const client = useClient();
  return useQuery({ queryKey: ['count'], queryFn: () => client.count({}), refetchInterval: 5_000 }).data;
}

/** Runs that somebody is needed for. */
export function countBlocked(byStatus: Readonly<Record<string, number>>): number {
  return blockedStatuses.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0);
}
