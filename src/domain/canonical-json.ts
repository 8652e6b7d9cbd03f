/** One text for one value: JSON with sorted keys, so that equal arguments have equal hashes. */

/**
 * JSON of `value` without white space, keys in code-unit order at every level. Values that JSON has no word for follow
 * `JSON.stringify`: left out of objects, `null` in arrays and at the top. Throws a `RangeError` on nesting that is too
 * deep for the stack, as `JSON.stringify` does.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined && typeof member !== 'function' && typeof member !== 'symbol')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
