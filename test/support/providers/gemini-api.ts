/** Gemini generateContent: no ids, an OpenAPI subset for schemas, signatures on the first call of a step (CASES appendix A). */
import {
  firstProblem,
  hasHalfPairs,
  toObject,
  unknownKeys,
  type Json,
  type ProviderApi,
  type SignatureBook,
  type UsageShape,
} from './provider-api.ts';

const known = ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings'];
const schemaKeys = [
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'maxItems', 'minItems', 'properties'],
  ...[
    'required',
    'propertyOrdering',
    'anyOf',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'pattern',
    'default',
    'example',
  ],
];
const stops: Readonly<Record<string, string>> = {
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
  'content-filter': 'SAFETY',
  'malformed-call': 'MALFORMED_FUNCTION_CALL',
  invented: 'BRAND_NEW_REASON',
};

export const geminiApi: ProviderApi = {
  key: (headers) => headers['x-goog-api-key'] as string | undefined,
  isCount: (path) => /^\/v1beta\/models\/[^/]+:countTokens$/.test(path),
  isGenerate: (path) => /^\/v1beta\/models\/[^/]+:generateContent$/.test(path),
  check(given, { isCount, book }) {
    const body = isCount ? without(given.generateContentRequest ?? {}, 'model') : given;
    return firstProblem(
      (function* () {
        yield unknownKeys(body, known);
        yield hasHalfPairs(body) ? 'the body holds a lone surrogate' : null;
        yield isCount || body.generationConfig?.maxOutputTokens >= 1 ? null : 'maxOutputTokens is missing';
        for (const tool of declarationsOf(body)) {
          yield /^[a-zA-Z_][\w.:-]{0,63}$/.test(tool.name) ? null : `invalid function name ${tool.name}`;
          if (tool.parameters) yield checkSchema(tool.parameters, tool.name);
        }
        yield checkContents(body.contents, book);
      })(),
    );
  },
  read(body) {
    const contents: Json[] = body.contents;
    const parts = contents.filter(({ role }) => role === 'user').flatMap((content) => content.parts);
    return {
      system: (body.systemInstruction?.parts ?? []).map((part: Json) => part.text).join('\n'),
      user: parts.filter(({ text }) => text !== undefined).map(({ text }) => text),
      turns: contents.filter(({ role }) => role === 'model').length,
      results: parts
        .filter((part) => part.functionResponse)
        .map(({ functionResponse: { response } }) => {
          return typeof response.content === 'string' ? response.content : JSON.stringify(response);
        }),
      tools: declarationsOf(body).map(({ name }) => name),
      mayCall: body.toolConfig?.functionCallingConfig?.mode !== 'NONE',
    };
  },
  render(turn, book) {
    if (turn.stop === 'blocked-prompt') {
      return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, ...renderUsage(turn.usage) };
    }
    const calls = turn.calls ?? [];
    const text = turn.text ?? '';
    const signature = turn.signed ? book.issue(text, calls) : undefined;
    const parts = [
      ...(text === '' ? [] : [{ text }]),
      ...calls.map((call, index) => ({
        functionCall: { name: call.name, args: toObject(call.arguments), ...(call.id && { id: call.id }) },
        // Only the first of parallel calls is signed.
        ...(index === 0 && signature !== undefined && { thoughtSignature: signature }),
      })),
    ];
    const reason = stops[turn.stop ?? ''] ?? 'STOP';
    const isEmpty = ['SAFETY', 'MALFORMED_FUNCTION_CALL'].includes(reason);
    return {
      candidates: [
        { ...(!isEmpty && parts.length > 0 && { content: { role: 'model', parts } }), finishReason: reason, index: 0 },
      ],
      ...renderUsage(turn.usage),
    };
  },
  renderCount: (tokens) => ({ totalTokens: tokens }),
  renderError: (status, code, message) => ({ error: { code: status, message, status: code } }),
};

function without(body: Json, key: string): Json {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== key));
}

function declarationsOf(body: Json): Json[] {
  return (body.tools ?? []).flatMap((tool: Json) => tool.functionDeclarations ?? []);
}

function checkSchema(schema: Json, where: string): string | null {
  return firstProblem(
    (function* () {
      const unknown = Object.keys(schema).filter((key) => !schemaKeys.includes(key));
      yield unknown.length === 0 ? null : `${where}: unknown name "${unknown.join()}" in the schema`;
      yield Array.isArray(schema.type) ? `${where}: a list of types` : null;
      yield schema.anyOf && Object.keys(schema).some((key) => !['anyOf', 'nullable', 'description'].includes(key))
        ? `${where}: when anyOf is used it must be the only field`
        : null;
      yield (schema.enum ?? []).some((value: unknown) => typeof value !== 'string')
        ? `${where}: an enum of no strings`
        : null;
      for (const [key, each] of Object.entries(schema.properties ?? {})) yield checkSchema(each, `${where}.${key}`);
      if (schema.items) yield checkSchema(schema.items, `${where}[]`);
      for (const each of schema.anyOf ?? []) yield checkSchema(each, where);
    })(),
  );
}

function checkContents(contents: Json[], book: SignatureBook): string | null {
  return firstProblem(
    (function* () {
      let open: Json[] = [];
      for (const [index, { role, parts }] of contents.entries()) {
        const at = `contents[${index}]`;
        yield role === 'user' || role === 'model' ? null : `${at}: role must be user or model`;
        yield parts?.length > 0 ? null : `${at}: parts are empty`;
        yield parts.some((part: Json) => part.text === '') ? `${at}: an empty text part` : null;
        const responses = parts.filter((part: Json) => part.functionResponse);
        if (open.length > 0 || responses.length > 0) {
          yield responses.length === open.length
            ? null
            : `${at}: the number of function response parts must equal the number of function call parts`;
          yield responses.every((part: Json, at: number) => part.functionResponse.name === open[at]!.functionCall.name)
            ? null
            : `${at}: responses in another order than their calls`;
          for (const { functionResponse } of responses) {
            yield holdsRef(functionResponse.response) ? `${at}: "$ref" in a function response` : null;
          }
        }
        open = role === 'model' ? parts.filter((part: Json) => part.functionCall) : [];
        if (open.length > 0) yield checkSignature(at, parts, open, book);
        yield role === 'model' && contents[index + 1]?.role === 'model'
          ? `${at}: calls of one step in two contents`
          : null;
      }
      yield open.length > 0 ? 'function calls without responses at the end' : null;
    })(),
  );
}

function checkSignature(at: string, parts: Json[], calls: Json[], book: SignatureBook): string | null {
  const text = parts
    .filter((part) => part.text !== undefined && !part.thought)
    .map((part) => part.text)
    .join('');
  const signatures = book.known(
    text,
    calls.map(({ functionCall: { name, args } }) => ({ name, arguments: args })),
  );
  if (signatures.length === 0) return null;
  return signatures.includes(calls[0]!.thoughtSignature)
    ? null
    : `${at}: function call is missing a thought_signature, or it was changed`;
}

function holdsRef(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => key === '$ref' || holdsRef(each));
}

function renderUsage(usage: UsageShape | undefined): Json {
  const shape = usage ?? { input: 100, output: 20 };
  switch (shape) {
    case 'missing':
      return {};
    case 'null':
      return { usageMetadata: null };
    case 'zeros':
      return { usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 } };
    case 'negative':
      return { usageMetadata: { promptTokenCount: -1, candidatesTokenCount: 20, totalTokenCount: 19 } };
    case 'strings':
      return { usageMetadata: { promptTokenCount: '12', candidatesTokenCount: '3', totalTokenCount: '15' } };
    default:
      return {
        usageMetadata: {
          promptTokenCount: shape.input,
          // Thoughts are counted beside the candidates.
          candidatesTokenCount: shape.output - (shape.reasoning ?? 0),
          ...(shape.reasoning !== undefined && { thoughtsTokenCount: shape.reasoning }),
          ...(shape.cacheRead !== undefined && { cachedContentTokenCount: shape.cacheRead }),
          totalTokenCount: shape.input + shape.output,
        },
      };
  }
}
