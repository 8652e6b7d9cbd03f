/** Rules of a request that several vendors share. Each gives the rule that is broken in words, or `null`. */
import type { Json } from './provider-api.ts';

/** The first rule that is broken. */
export function firstProblem(problems: Iterable<string | null>): string | null {
  for (const problem of problems) if (problem !== null) return problem;
  return null;
}

/** Keys of an object that the API does not know. */
export function unknownKeys(value: Json, known: readonly string[], at = ''): string | null {
  const unknown = Object.keys(value ?? {}).filter((key) => !known.includes(key));
  return unknown.length === 0 ? null : `unknown parameter: ${unknown.map((key) => `${at}${key}`).join(', ')}`;
}

/** Half a surrogate pair anywhere in the strings of a body. */
export function hasHalfPairs(value: Json): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => hasHalfPairs(key) || hasHalfPairs(each));
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJson(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A limit of tokens: sent, whole, and not below what the vendor takes. */
export function checkLimit(name: string, value: unknown, least = 1): string | null {
  if (value === undefined) return `${name}: field required`;
  return Number.isSafeInteger(value) && (value as number) >= least
    ? null
    : `${name}: must be an integer of at least ${least}`;
}

/** What all of them ask of a body before they look at its fields. */
export function checkBody(body: Json, list: string): string | null {
  if (!isObject(body)) return 'the body must be a JSON object';
  if (hasHalfPairs(body)) return 'the body is no valid Unicode: it holds a lone surrogate';
  if (body.stream) return 'stream: not offered here';
  return Array.isArray(body[list]) && body[list].length > 0 ? null : `${list}: field required, not empty`;
}

export function checkUniqueNames(names: readonly string[]): string | null {
  const double = names.find((name, index) => names.indexOf(name) !== index);
  return double === undefined ? null : `tools: names must be unique, found "${double}" twice`;
}

/** Every object in the schema of a strict tool is closed; `needsAll`: and requires all of its properties. */
export function checkStrict(schema: Json, at: string, needsAll: boolean): string | null {
  if (!isObject(schema)) return null;
  return firstProblem(
    (function* () {
      const properties = schema.properties ?? {};
      if (schema.type === 'object' || schema.properties) {
        yield schema.additionalProperties === false ? null : `${at}: strict needs additionalProperties to be false`;
        const left = Object.keys(properties).filter((key) => !schema.required?.includes(key));
        yield needsAll && left.length > 0
          ? `${at}: strict needs every property in required, missing ${left.join()}`
          : null;
      }
      yield needsAll && schema.oneOf ? `${at}: strict does not take oneOf` : null;
      for (const [key, each] of Object.entries(properties)) yield checkStrict(each, `${at}.${key}`, needsAll);
      yield checkStrict(schema.items, `${at}[]`, needsAll);
      for (const each of schema.anyOf ?? []) yield checkStrict(each, at, needsAll);
      for (const each of Object.values(schema.$defs ?? {})) yield checkStrict(each, at, needsAll);
    })(),
  );
}
