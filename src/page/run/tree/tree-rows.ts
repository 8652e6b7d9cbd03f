/** The rows of the tree as they are shown: in the order of the plan, without what is folded away. */
import type { SubagentView } from '../../../contract/run-view.ts';
import { hasSubagentEnded } from '../../../domain/projection/fold-run-event.ts';
import { depthOf } from '../../../domain/subagent-tree.ts';
import { toLook } from '../../parts/status-looks.ts';
import type { LoggedCall } from '../use-run-log.ts';

export type TreeRow =
  | {
      readonly kind: 'lead';
      readonly id: string;
      readonly level: 1;
      readonly isOpen: boolean;
      readonly hasChildren: boolean;
    }
  | {
      readonly kind: 'subagent';
      readonly id: string;
      readonly level: number;
      readonly view: SubagentView;
      readonly isOpen: boolean;
      readonly hasChildren: boolean;
    }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly level: number;
      readonly call: LoggedCall;
      readonly subagentId: string;
    }
  | {
      readonly kind: 'group';
      readonly id: string;
      readonly level: number;
      readonly count: number;
      readonly isOpen: boolean;
      readonly hasChildren: true;
    };

export const leadId = 'lead';
export const doneId = 'finished';
/** From this many subagents on, what has been finished is one row. */
const foldFrom = 30;

export type Show = 'all' | 'open' | 'lost';

export function toTreeRows(
  tree: readonly SubagentView[],
  options: {
    /** Rows that were turned from how they are by default. */
    readonly turned: ReadonlySet<string>;
    readonly show: Show;
    /** Tool calls by subagent, where they are rows too. */
    readonly calls: ReadonlyMap<string, readonly LoggedCall[]> | null;
  },
): readonly TreeRow[] {
  const { turned, show, calls } = options;
  const isLeadOpen = !turned.has(leadId);
  const rows: TreeRow[] = [{ kind: 'lead', id: leadId, level: 1, isOpen: isLeadOpen, hasChildren: tree.length > 0 }];
  if (!isLeadOpen) return rows;
  const shown = tree.filter(({ status }) => isShown(status, show));
  const parents = new Set(shown.map(({ parentId }) => parentId));
  const open = shown.filter(({ status }) => toLook(status).tone !== 'ok').length;
  const folds = show === 'all' && shown.length >= foldFrom && open > 0 && shown.length - open > 1;
  const finished: SubagentView[] = [];
  const closed: string[] = [];
  const add = (view: SubagentView, extra: number) => {
    if (closed.some((id) => view.id.startsWith(`${id}.`))) return;
    const own = calls?.get(view.id) ?? [];
    const hasChildren = parents.has(view.id) || own.length > 0;
    const isOpen = hasChildren && !turned.has(view.id);
    const level = depthOf(view.id) + 1 + extra;
    rows.push({ kind: 'subagent', id: view.id, level, view, isOpen, hasChildren });
    if (!isOpen) closed.push(view.id);
    else
      for (const [index, call] of own.entries()) {
        rows.push({ kind: 'call', id: `${view.id}/${index}`, level: level + 1, call, subagentId: view.id });
      }
  };
  const isDone = (view: SubagentView) => toLook(view.status).tone === 'ok' && !parents.has(view.id);
  for (const view of shown) {
    if (folds && isDone(view)) finished.push(view);
    else add(view, 0);
  }
  if (finished.length > 0) {
    const isOpen = turned.has(doneId);
    rows.push({ kind: 'group', id: doneId, level: 2, count: finished.length, isOpen, hasChildren: true });
    if (isOpen) for (const view of finished) add(view, 1);
  }
  return rows;
}

function isShown(status: SubagentView['status'], show: Show): boolean {
  if (show === 'all') return true;
  const hasStopped = hasSubagentEnded(status);
  return show === 'open' ? !hasStopped : hasStopped && toLook(status).tone !== 'ok';
}

/** The row that a row is under; -1 for the first one. */
export function parentIndexOf(rows: readonly TreeRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let at = index - 1; at >= 0; at -= 1) if (rows[at]!.level < level) return at;
  return -1;
}
