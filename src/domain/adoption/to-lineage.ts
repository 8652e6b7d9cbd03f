import type { Lineage, Origin } from '../../contract/origin.ts';

/** Whose work a run takes over, as it is shown. */
export function toLineage({ kind, runId, from }: Origin): Lineage {
  return { kind, runId, ...(from !== undefined && { from }) };
}
