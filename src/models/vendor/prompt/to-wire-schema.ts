/**
 * The schema of a tool's arguments as a vendor accepts it (CASES B17, B18). Only what the model is told gets poorer; the
 * arguments are still checked by the tool's own schema. One keyword that is refused would refuse every tool of a request.
 */
import type { Vendor } from '../vendor.ts';
import { toGeminiSchema } from './to-gemini-schema.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A self-contained schema of an object: references are put in place and recursion ends in a plain object, `oneOf` becomes
 * `anyOf`, `const` an `enum`, records and tuples what comes nearest; objects with fixed keys take no others.
 */
export function toWireSchema(schema: JsonSchema, vendor: Vendor): JsonSchema {
  const plain = simplify(schema, { root: schema, left: { references: maxReferences } }, []);
  const root = plain.type === 'object' && plain.anyOf === undefined ? plain : withText(anyObject, plain);
  return vendor === 'google' ? toGeminiSchema(root) : root;
}

/** Some vendors refuse an object without `properties`. */
const anyObject: JsonSchema = { type: 'object', properties: {}, additionalProperties: true };

/** What is left as it is; everything else is either rewritten below or not told. */
const kept = [
  'type',
  'title',
  'description',
  'default',
  'enum',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
];

/** Definitions that name each other would multiply without end when each is put in place. */
const maxReferences = 200;

type Source = { readonly root: JsonSchema; readonly left: { references: number } };

/** `open`: the references that this one stands in; meeting one of them again is recursion. */
function simplify(value: unknown, source: Source, open: readonly string[]): JsonSchema {
  if (!isSchema(value)) return {};
  const { $ref: reference, ...beside } = value;
  if (typeof reference === 'string') {
    source.left.references -= 1;
    const isOver = open.includes(reference) || source.left.references < 0;
    const target = isOver ? undefined : resolve(reference, source.root);
    if (target === undefined) return withText(anyObject, beside);
    return simplify({ ...target, ...beside }, source, [...open, reference]);
  }
  const inner = (each: unknown) => simplify(each, source, open);
  if (Array.isArray(value.allOf)) {
    const { allOf, ...rest } = value;
    return mergeAll([rest, ...(allOf as unknown[])].map(inner));
  }
  const choices = value.anyOf ?? value.oneOf;
  // Beside fields, a choice only says which of them belong together.
  if (Array.isArray(choices) && value.properties === undefined) {
    return { ...pick(value), anyOf: choices.map(inner) };
  }
  const plain = { ...pick(value), ...(value.const !== undefined && { enum: [value.const] }) };
  if (value.type === 'array' || value.items !== undefined || value.prefixItems !== undefined) {
    return { ...plain, type: value.type ?? 'array', items: toItems(value, inner) };
  }
  return value.type === 'object' || value.properties !== undefined ? toObject(value, plain, inner) : plain;
}

/** A tuple becomes a list of what any of its places may hold. */
function toItems({ items, prefixItems }: JsonSchema, inner: (each: unknown) => JsonSchema): JsonSchema {
  const places = Array.isArray(prefixItems)
    ? (prefixItems as unknown[])
    : Array.isArray(items)
      ? (items as unknown[])
      : null;
  if (places === null) return inner(items);
  const texts = [...new Set(places.map((place) => JSON.stringify(inner(place))))];
  const different = texts.map((text) => JSON.parse(text) as JsonSchema);
  return different.length === 1 ? different[0]! : different.length === 0 ? {} : { anyOf: different };
}

function toObject(value: JsonSchema, plain: JsonSchema, inner: (each: unknown) => JsonSchema): JsonSchema {
  const fields = isSchema(value.properties) ? Object.entries(value.properties) : [];
  // A record has no fixed keys: closing it would forbid every key.
  const isOpen = fields.length === 0 ? value.additionalProperties !== false : isLoose(value.additionalProperties);
  const required = (Array.isArray(value.required) ? (value.required as unknown[]) : []).filter((name) =>
    fields.some(([field]) => field === name),
  );
  return {
    ...plain,
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, inner(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: isOpen,
  };
}

function isLoose(more: unknown): boolean {
  return more === true || isSchema(more);
}

/** Of parts that must all hold: the fields of all of them; where one is no object, the first that says something. */
function mergeAll(parts: readonly JsonSchema[]): JsonSchema {
  const telling = parts.filter((part) => Object.keys(part).some((key) => key !== 'description' && key !== 'title'));
  const text = Object.assign({}, ...parts.map(textOf)) as JsonSchema;
  if (telling.length === 0 || !telling.every((part) => part.type === 'object')) return { ...telling[0], ...text };
  const required = [...new Set(telling.flatMap((part) => (part.required as string[] | undefined) ?? []))];
  return {
    ...text,
    type: 'object',
    properties: Object.assign({}, ...telling.map((part) => part.properties)) as JsonSchema,
    ...(required.length > 0 && { required }),
    additionalProperties: telling.some((part) => part.additionalProperties === true),
  };
}

function withText(schema: JsonSchema, from: JsonSchema): JsonSchema {
  return { ...schema, ...textOf(from) };
}

function textOf({ title, description }: JsonSchema): JsonSchema {
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}

function pick(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => kept.includes(key)));
}

/** `#`, `#/definitions/x`, `#/properties/a/items` …; `undefined` where it leads nowhere, or out of the schema. */
function resolve(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  const steps = reference.split('/').slice(1);
  let found: unknown = root;
  for (const step of steps) {
    const name = decodeStep(step);
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, name) ? (found as JsonSchema)[name] : null;
  }
  return isSchema(found) ? found : undefined;
}

function decodeStep(step: string): string {
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
