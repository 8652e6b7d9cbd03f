/** The further steps to Gemini's subset of OpenAPI: types, texts, enums of strings, fields and lists, and `anyOf` alone. */
import type { JsonSchema } from './to-wire-schema.ts';

/** Other formats are refused by name. */
const formats: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time'],
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** From a schema that `toWireSchema` has simplified. What cannot be said is put in words, where a model reads them. */
export function toGeminiSchema(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.anyOf)) return toChoice(schema, schema.anyOf as JsonSchema[]);
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter(
    (type) => type !== undefined,
  ) as string[];
  const plain = types.filter((type) => type !== 'null');
  if (plain.length > 1)
    return toChoice(
      schema,
      types.map((type) => ({ ...schema, type, description: undefined })),
    );
  if (Array.isArray(schema.enum)) return toEnum(schema, plain[0], types.includes('null'));
  const type = plain[0] ?? (types.includes('null') ? 'null' : 'string');
  return {
    // The package turns a list with "null" into Gemini's own `nullable`.
    type: types.includes('null') && type !== 'null' ? [type, 'null'] : type,
    ...textOf(schema),
    ...(typeof schema.format === 'string' && formats[type]?.includes(schema.format) && { format: schema.format }),
    ...(type === 'array' && { items: toGeminiSchema((schema.items ?? {}) as JsonSchema) }),
    ...(type === 'object' && toFields(schema)),
  };
}

function toFields(schema: JsonSchema): JsonSchema {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  // An object without fields must have none of the keywords either.
  if (fields.length === 0) return {};
  return {
    properties: Object.fromEntries(fields.map(([name, field]) => [name, toGeminiSchema(field)])),
    ...(schema.required !== undefined && { required: schema.required }),
  };
}

/** Nothing may stand beside `anyOf`, so its text and its "null" go into the choices. */
function toChoice(schema: JsonSchema, choices: readonly JsonSchema[]): JsonSchema {
  const isNull = (choice: JsonSchema) => choice.type === 'null' || isOnlyNull(choice.enum);
  const converted = choices.filter((choice) => !isNull(choice)).map(toGeminiSchema);
  const flat = converted.flatMap((choice) => (Array.isArray(choice.anyOf) ? (choice.anyOf as JsonSchema[]) : [choice]));
  const texts = [...new Set(flat.map((choice) => JSON.stringify({ ...choice, ...mergeText(schema, choice) })))];
  const different = texts.map((text) => JSON.parse(text) as JsonSchema);
  const [first, ...others] = different;
  if (first === undefined) return { type: 'null', ...textOf(schema) };
  const head = choices.some(isNull) ? toNullable(first) : first;
  return others.length === 0 ? head : { anyOf: [head, ...others] };
}

function isOnlyNull(values: unknown): boolean {
  return Array.isArray(values) && values.length > 0 && values.every((value) => value === null);
}

function toNullable(schema: JsonSchema): JsonSchema {
  return typeof schema.type === 'string' && schema.type !== 'null'
    ? { ...schema, type: [schema.type, 'null'] }
    : schema;
}

/** Only strings may be listed; other values are named in the text. */
function toEnum(schema: JsonSchema, type: string | undefined, nullable: boolean): JsonSchema {
  const listed = schema.enum as unknown[];
  const values = listed.filter((value) => value !== null);
  if (values.length === 0) return { type: 'null', ...textOf(schema) };
  const isText = values.every((value) => typeof value === 'string' && value !== '');
  const told = type ?? kindOf(values);
  const orNull = nullable || values.length < listed.length;
  const words = [schema.description, `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.`];
  return {
    type: orNull ? [told, 'null'] : told,
    ...(isText ? { ...textOf(schema), enum: values } : { description: words.filter(Boolean).join(' ') }),
  };
}

function kindOf(values: readonly unknown[]): string {
  const kinds = new Set(values.map((value) => typeof value));
  const [kind] = kinds;
  return kinds.size === 1 && (kind === 'number' || kind === 'boolean') ? kind : 'string';
}

function textOf({ description }: JsonSchema): JsonSchema {
  return typeof description === 'string' && description !== '' ? { description } : {};
}

function mergeText(outer: JsonSchema, choice: JsonSchema): JsonSchema {
  const texts = [outer.description, choice.description].filter((text) => typeof text === 'string' && text !== '');
  return texts.length === 0 ? {} : { description: [...new Set(texts)].join(' ') };
}
