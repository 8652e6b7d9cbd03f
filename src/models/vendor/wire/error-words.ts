/** What an error body says by its fields: the words to classify by, and those that a person may be shown. */

export type ErrorWords = {
  /** Codes, types, states and reasons, as the vendors call them. */
  readonly words: readonly string[];
  /** The vendor's prose. To be searched, never to be shown: it may quote the key or the prompt. */
  readonly prose: string;
};

type Fields = Readonly<Record<string, unknown>>;

/** Reads `{error: {…}}` of all vendors, `[{error: {…}}]` of Google, and the flat bodies of some servers. */
export function readErrorWords(body: unknown): ErrorWords {
  const outer = asFields(Array.isArray(body) ? body[0] : body);
  const error = typeof outer.error === 'string' ? { message: outer.error } : asFields(outer.error ?? outer);
  const details = (Array.isArray(error.details) ? error.details : []).map(asFields);
  const violations = details.flatMap((detail) =>
    Array.isArray(detail.violations) ? (detail.violations as unknown[]) : [],
  );
  const found = [
    error.code,
    error.type,
    error.status,
    ...details.map((detail) => detail.reason),
    ...violations.map(asFields).flatMap(({ quotaId, quotaMetric }) => [quotaId, quotaMetric]),
  ];
  return {
    words: found.filter((word) => typeof word === 'string'),
    prose: [error.message, outer.detail].filter((text) => typeof text === 'string').join(' '),
  };
}

/** `param` of OpenAI: which field of the request was wrong. */
export function readErrorParam(body: unknown): string | null {
  const { param } = asFields(asFields(body).error);
  return typeof param === 'string' ? param : null;
}

const harmless = /^[A-Za-z][A-Za-z0-9_.[\]]{1,60}$/;
/** A shorter piece of a key gives nothing away, and chance alone finds it in a word. */
const tellingChars = 4;

/** Whether a word of a body may be shown: short, without spaces, and with no part of the key in it. */
export function isHarmless(word: string, apiKey: string | null): boolean {
  if (!harmless.test(word)) return false;
  if (apiKey === null) return true;
  const [key, shown] = [apiKey.toLowerCase(), word.toLowerCase()];
  const size = Math.min(tellingChars, key.length);
  for (let start = 0; start + size <= key.length; start += 1) {
    if (shown.includes(key.slice(start, start + size))) return false;
  }
  return true;
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
