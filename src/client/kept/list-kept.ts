/** Ids of kept runs that begin as typed. */
import type { ClientContext } from '../client-context.ts';

export async function listKept({ records }: ClientContext, starts: readonly string[]): Promise<string[]> {
  const ids = (await records?.list()) ?? [];
  return ids.filter((runId) => starts.some((start) => runId.startsWith(start)));
}
