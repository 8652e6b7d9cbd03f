/** Makes links of the markers in a report: `[3]` where there is a citation 3; any other number is struck through. */

/** As much of the tree of a Markdown document as is looked at here. */
type Node = { type: string; value?: string; url?: string; children?: Node[]; data?: Record<string, unknown> };

const marker = /~~(\[[^\][]{1,40}\])~~|(?<!\w)\[(\d{1,4})\]/g;
/** Where a marker of a report points to inside the page. */
export const sourcePrefix = '#source-';

export function createCiteMarkers(known: ReadonlySet<string>) {
  const toNodes = (text: string): Node[] => {
    const nodes: Node[] = [];
    let from = 0;
    for (const match of text.matchAll(marker)) {
      if (match.index > from) nodes.push({ type: 'text', value: text.slice(from, match.index) });
      const struck = match[1] ?? (known.has(match[0]) ? undefined : match[0]);
      nodes.push(
        struck === undefined
          ? { type: 'link', url: `${sourcePrefix}${match[2]}`, children: [{ type: 'text', value: match[2] }] }
          : { type: 'emphasis', data: { hName: 'del' }, children: [{ type: 'text', value: struck }] },
      );
      from = match.index + match[0].length;
    }
    if (from < text.length) nodes.push({ type: 'text', value: text.slice(from) });
    return nodes;
  };
  const visit = (node: Node): void => {
    if (!node.children || node.type === 'link' || node.type === 'linkReference') return;
    node.children = node.children.flatMap((child) => {
      if (child.type === 'text' && child.value !== undefined) return toNodes(child.value);
      visit(child);
      return [child];
    });
  };
  return () => (tree: unknown) => visit(tree as Node);
}
