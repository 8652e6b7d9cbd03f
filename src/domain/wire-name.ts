/** The name under which a vendor is told of a tool: the tool's own where every vendor accepts it, else one made from it. */

/** What OpenAI, Anthropic and Gemini all accept (CASES B19). */
const acceptedEverywhere = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** Leaves room for `_` and the hash within 64 characters. */
const maxReadableChars = 50;

/**
 * A name that every vendor accepts. One that is accepted stays as it is; another becomes its readable part and a hash of
 * the whole: `calendar.list` → `calendar_list_<13 characters>`. The same on every turn and replay; equal only for equal names.
 */
export function toWireName(name: string): string {
  if (acceptedEverywhere.test(name)) return name;
  const readable = name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, maxReadableChars);
  const begun = /^[A-Za-z_]/.test(readable) ? readable : `tool_${readable}`.slice(0, maxReadableChars);
  return `${begun.replace(/_+$/, '')}_${hashName(name)}`;
}

/** The tool among `names` that is told of as `wireName`; a name that means none of them comes back as it is. */
export function fromWireName(wireName: string, names: readonly string[]): string {
  return names.find((name) => toWireName(name) === wireName) ?? wireName;
}

/** FNV-1a over 64 bits of the UTF-16 units, in base 36: 13 characters at most. */
function hashName(name: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let index = 0; index < name.length; index += 1) {
    const unit = name.charCodeAt(index);
    for (const byte of [unit & 0xff, unit >> 8]) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    }
  }
  return hash.toString(36);
}
