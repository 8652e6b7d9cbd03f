/** From the zod schema of a tool's arguments to the JSON schema that models are told, and whether every vendor understands it. */
import { z } from 'zod';

type Schema = Readonly<Record<string, unknown>>;

/** Where a construct stands, and what it is called. */
type Problem = { readonly path: string; readonly construct: string; readonly instead: string };

/**
 * Draft-7, as the arguments look before parsing, with `additionalProperties: false` on every object that has fixed keys.
 * The portable subset (PROVIDERS §3): objects, arrays, strings, numbers, integers, booleans, enums of strings, nullable,
 * optional. Throws with the name of the tool, the place and the construct where something else is in it; with
 * `portable: false` only where there is no JSON schema for it at all, or where the arguments are no object.
 */
export function toInputSchema(toolName: string, input: z.ZodType, portable: boolean): Schema {
  const schema = closeObjects(convert(toolName, input)) as Schema;
  const problem = schema.type !== 'object' ? notAnObject : portable ? findProblem(schema, '') : null;
  if (problem === null) return schema;
  const where = problem.path === '' ? 'its arguments are' : `the argument "${problem.path}" is`;
  const way = problem === notAnObject ? '' : ', or `portable: false` to tell some models less than is checked';
  throw new Error(
    `tool "${toolName}": ${where} ${problem.construct}, which not every model can be told; use ${problem.instead}${way}`,
  );
}

const notAnObject: Problem = { path: '', construct: 'no object with named fields', instead: 'z.object({ … })' };

function convert(toolName: string, input: z.ZodType): Schema {
  try {
    const schema: Record<string, unknown> = z.toJSONSchema(input, { io: 'input', target: 'draft-7' });
    delete schema.$schema;
    return schema;
  } catch (error) {
    // Dates, big integers, maps, sets, symbols: no vendor can send one.
    throw new Error(
      `tool "${toolName}": ${(error as Error).message}; use a string or a number and convert it in run()`,
      {
        cause: error,
      },
    );
  }
}

function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (!isSchema(value)) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closeObjects(each)]));
  const isClosed = value.type === 'object' && isSchema(value.properties) && value.additionalProperties === undefined;
  return isClosed ? { ...closed, additionalProperties: false } : closed;
}

/** The first construct outside the portable subset, in the order of the fields. */
function findProblem(schema: Schema, path: string): Problem | null {
  const construct = constructOf(schema);
  if (construct) return { path, ...construct };
  const parts = [
    ...Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(
      ([key, each]) => [path === '' ? key : `${path}.${key}`, each] as const,
    ),
    ...(isSchema(schema.items) ? [[`${path}[]`, schema.items] as const] : []),
    ...((schema.anyOf ?? []) as Schema[]).map((each) => [path, each] as const),
  ];
  for (const [where, each] of parts) {
    const problem = findProblem(each, where);
    if (problem) return problem;
  }
  return null;
}

function constructOf(schema: Schema): Omit<Problem, 'path'> | null {
  if (schema.$ref !== undefined) return { construct: 'recursive', instead: 'a fixed depth' };
  const isUnion = isChoice(schema.anyOf) || isChoice(schema.type);
  if (schema.oneOf !== undefined || schema.allOf !== undefined || isUnion) {
    return { construct: 'a union or an intersection', instead: 'one object with optional fields' };
  }
  if (Array.isArray(schema.items) || schema.prefixItems !== undefined) {
    return { construct: 'a tuple', instead: 'an object with a field for each part' };
  }
  const { additionalProperties: more } = schema;
  if (schema.propertyNames !== undefined || (more !== undefined && more !== false)) {
    return { construct: 'a record or a loose object', instead: 'an array of objects with a key and a value' };
  }
  const values = schema.const === undefined ? ((schema.enum as unknown[] | undefined) ?? []) : [schema.const];
  if (values.some((value) => typeof value !== 'string')) {
    return { construct: 'a literal that is no string', instead: 'z.enum([…]) of strings, or a plain type' };
  }
  const isTyped = ['type', 'enum', 'const', 'anyOf'].some((key) => schema[key] !== undefined);
  return isTyped ? null : { construct: 'of any type', instead: 'the type that run() expects' };
}

/** A list of types or of `anyOf` is how `nullable` looks; anything else in it is a choice of shapes. */
function isChoice(list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  return (list as (Schema | string)[]).filter((each) => each !== 'null' && !isNull(each)).length !== 1;
}

function isNull(each: Schema | string): boolean {
  return typeof each === 'object' && each.type === 'null';
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
