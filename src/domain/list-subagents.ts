/** Names many subagents in few words: `s1 to s12, s14, s16 to s20`. */

/** In the order given; three and more whose numbers follow each other become a range. */
export function listSubagents(ids: readonly string[]): string {
  const ranges: string[][] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last && follows(last.at(-1)!, id)) last.push(id);
    else ranges.push([id]);
  }
  return ranges.flatMap((range) => (range.length < 3 ? range : [`${range[0]} to ${range.at(-1)}`])).join(', ');
}

function follows(before: string, id: string): boolean {
  const [, number] = /^s(\d+)$/.exec(before) ?? [];
  return number !== undefined && id === `s${Number(number) + 1}`;
}
