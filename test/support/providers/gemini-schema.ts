/** The part of OpenAPI that Gemini takes as a schema (CASES B17, appendix A). */
import type { Json } from './provider-api.ts';
import { firstProblem, isObject } from './rules.ts';

const known = [
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'maxItems', 'minItems', 'properties'],
  ...['minProperties', 'maxProperties', 'required', 'propertyOrdering', 'anyOf', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'pattern', 'default', 'example'],
];
const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

export function checkGeminiSchema(schema: Json, at: string): string | null {
  if (!isObject(schema)) return `${at}: a schema must be an object`;
  return firstProblem(
    (function* () {
      const unknown = Object.keys(schema).filter((key) => !known.includes(key));
      yield unknown.length === 0 ? null : `${at}: unknown name "${unknown.join()}"`;
      if (schema.anyOf) {
        const beside = Object.keys(schema).filter((key) => !['anyOf', 'nullable', 'description'].includes(key));
        yield beside.length === 0
          ? null
          : `${at}: when using any_of, it must be the only field set, found ${beside.join()}`;
        for (const each of schema.anyOf) yield checkGeminiSchema(each, at);
        return;
      }
      const { type, enum: values, items, properties = {}, required = [] } = schema;
      yield Array.isArray(type) ? `${at}.type: proto field is not repeating` : null;
      yield type === undefined || types.includes(String(type).toLowerCase()) ? null : `${at}.type: unknown "${type}"`;
      yield (values ?? []).every((value: unknown) => typeof value === 'string') ? null : `${at}.enum: only strings`;
      yield String(type).toLowerCase() === 'array' && items === undefined ? `${at}.items: missing field` : null;
      yield items === undefined ? null : checkGeminiSchema(items, `${at}.items`);
      for (const key of required) yield key in properties ? null : `${at}.required: property is not defined: ${key}`;
      for (const [key, each] of Object.entries(properties)) yield checkGeminiSchema(each, `${at}.${key}`);
    })(),
  );
}
