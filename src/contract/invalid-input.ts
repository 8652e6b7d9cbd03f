/** Parses input by a schema; a refusal names the field, what was wanted and what came. */
import type { z } from 'zod';
import { TributaryError } from './failure.ts';

const maxShown = 60;

function show(value: unknown): string {
  const text =
    typeof value === 'number' || typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}… (${text.length} characters)` : text;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}

/** One line per problem: `budget.tokens: wanted a whole number of at least 1, came -5`. */
export function describeIssues(error: z.ZodError, input: unknown): string[] {
  return error.issues.flatMap(toLeaves).map((issue) => {
    const field = issue.path.join('.') || 'input';
    if (issue.code === 'unrecognized_keys')
      return `${field}: unknown ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
    // Of a record it is the name that is wrong, not what stands there.
    const came = issue.code === 'invalid_key' ? issue.path.at(-1) : valueAt(input, issue.path);
    return `${field}: ${toWanted(issue)}, came ${came === undefined ? 'nothing' : show(came)}`;
  });
}

/** A union fails with the problems of all its branches: those of the one that got furthest into the input are told. */
function toLeaves(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.message.startsWith('wanted')) return [issue];
  const [furthest] = issue.errors
    .map((branch) => branch.flatMap(toLeaves))
    .map((leaves) => ({ leaves, reach: Math.max(...leaves.map(reachOf)) }))
    .sort((a, b) => b.reach - a.reach);
  if (!furthest || furthest.reach === 0) return [issue];
  return furthest.leaves.map((leaf) => ({ ...leaf, path: [...issue.path, ...leaf.path] }));
}

/** 0 where the value as a whole is of another kind than this branch wants. */
function reachOf(issue: z.core.$ZodIssue): number {
  const isOtherKind = issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union';
  return 2 * issue.path.length + (isOtherKind ? 0 : 1);
}

function toWanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.origin === 'string'
        ? 'wanted a text that is not empty'
        : issue.origin === 'array'
          ? `wanted at least ${issue.minimum} ${Number(issue.minimum) === 1 ? 'entry' : 'entries'}`
          : `wanted ${numberWord(issue)} of at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `wanted at most ${issue.maximum} characters`
        : issue.origin === 'array'
          ? `wanted at most ${issue.maximum} entries`
          : `wanted ${numberWord(issue)} of at most ${issue.maximum}`;
    case 'invalid_type':
      return issue.expected === 'int'
        ? 'wanted a whole number'
        : `wanted ${/^[aeiou]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    case 'invalid_value':
      return `wanted one of ${issue.values.map((value) => String(value)).join(', ')}`;
    case 'invalid_union': {
      if (issue.message.startsWith('wanted')) return issue.message;
      const kinds = issue.errors.flat().map((each) => toWanted(each).replace(/^wanted /, ''));
      return kinds.length === 0 ? 'wanted another kind of value' : `wanted ${[...new Set(kinds)].join(' or ')}`;
    }
    case 'invalid_key':
      return issue.issues[0] ? toWanted(issue.issues[0]) : 'wanted another name';
    default:
      return issue.message.startsWith('wanted') ? issue.message : `wanted valid input (${issue.message})`;
  }
}

function numberWord(issue: { origin: string; inclusive?: boolean }): string {
  return issue.origin === 'int' || issue.origin === 'number' ? 'a number' : `a ${issue.origin}`;
}

/** The parsed value, or `INVALID_REQUEST` with every problem at once. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown, what: string): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new TributaryError('INVALID_REQUEST', `${what}: ${describeIssues(parsed.error, input).join('; ')}`);
}
