/** Finds the JSON in what a model wrote: bare, in a fence, or with prose around it. */

/** Brackets that may turn out not to open JSON; it bounds the work on a hostile text that is nothing but open brackets. */
const maxFalseStarts = 20;
const fence = /```[^\n`]*\n\s*([{[][\s\S]*?)```/g;

/**
 * The JSON values in `text`, the likeliest first: the whole text if it is one, else what stands in fences, then the objects
 * and arrays that stand in prose. Parts of such a value are not offered again. Never throws.
 */
export function* jsonInText(text: string): Generator<unknown, void, undefined> {
  const whole = parse(text.trim());
  if (whole) {
    yield whole.value;
    return;
  }
  for (const match of text.matchAll(fence)) {
    const fenced = parse(match[1]!.trim());
    if (fenced) yield fenced.value;
  }
  yield* jsonInProse(text);
}

function* jsonInProse(text: string): Generator<unknown, void, undefined> {
  const opening = /[{[]/g;
  let falseStarts = 0;
  while (falseStarts < maxFalseStarts) {
    const start = opening.exec(text)?.index;
    if (start === undefined) return;
    const end = findEnd(text, start);
    const found = end === null ? null : parse(text.slice(start, end));
    if (found) {
      yield found.value;
      opening.lastIndex = end!;
    } else falseStarts += 1;
  }
}

/** The index behind the bracket that closes the one at `start`; brackets inside strings do not count. */
function findEnd(text: string, start: number): number | null {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index += 1) {
    const char = text[index]!;
    if (isInString) {
      if (char === '\\') index += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return null;
}

function parse(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}
