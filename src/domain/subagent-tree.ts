/** Where a subagent stands: ids are paths, `s2.1` is below `s2`. */

/** `s2` of `s2.1`; `null` for those below the run itself. */
export function parentOf(id: string): string | null {
  const dot = id.lastIndexOf('.');
  return dot < 0 ? null : id.slice(0, dot);
}

/** `s2` of `s2.1.3`: the one below the run itself. */
export function rootOf(id: string): string {
  return id.split('.', 1)[0]!;
}

/** 1 for those below the run itself. */
export function depthOf(id: string): number {
  return id.split('.').length;
}

/** Those that the run itself started: what the others use is in their usage. */
export function ofRun<T extends { readonly id: string }>(nodes: readonly T[]): readonly T[] {
  return nodes.filter(({ id }) => parentOf(id) === null);
}

/** Each behind the one that it is below, in the order of the numbers; those below the run keep their order. */
export function toTreeOrder<T extends { readonly id: string }>(nodes: readonly T[]): readonly T[] {
  if (nodes.every(({ id }) => parentOf(id) === null)) return nodes;
  const places = new Map<string, number>();
  for (const { id } of nodes) if (!places.has(rootOf(id))) places.set(rootOf(id), places.size);
  const toPath = (id: string) => [places.get(rootOf(id))!, ...id.split('.').slice(1).map(Number)];
  return nodes.toSorted((a, b) => comparePaths(toPath(a.id), toPath(b.id)));
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? a.length - b.length : a[at]! - (b[at] ?? -1);
}
