/** What Gemini generateContent refuses (CASES appendix A, PROVIDERS 1 to 3). */
import { checkGeminiSchema } from './gemini-schema.ts';
import { contentText, type CheckOptions, type Json } from './provider-api.ts';
import { checkBody, checkLimit, checkUniqueNames, firstProblem, isObject, unknownKeys } from './rules.ts';
import type { SignatureBook } from './signature-book.ts';

const bodyKeys = [
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings'],
  ...['cachedContent', 'serviceTier', 'store'],
];
const configKeys = [
  ...['maxOutputTokens', 'temperature', 'topK', 'topP', 'frequencyPenalty', 'presencePenalty', 'stopSequences'],
  ...['seed', 'responseMimeType', 'responseSchema', 'responseJsonSchema', 'responseModalities', 'thinkingConfig'],
  ...['mediaResolution', 'imageConfig', 'speechConfig', 'candidateCount', 'responseLogprobs', 'logprobs'],
];
const modes = ['AUTO', 'ANY', 'NONE', 'VALIDATED'];
const partKeys = ['text', 'thought', 'thoughtSignature', 'functionCall', 'functionResponse', 'inlineData', 'fileData'];
const namePattern = /^[a-zA-Z_][\w.:-]{0,63}$/;

/** The request for an answer that a body is, or holds where it asks for a count. */
export function requestOf(body: Json): Json {
  return body.generateContentRequest ?? body;
}

export function declarationsOf(body: Json): Json[] {
  return (body.tools ?? []).flatMap((tool: Json) => tool.functionDeclarations ?? []);
}

export function checkGemini(given: Json, { isCount, book, isGateway }: CheckOptions): string | null {
  if (!isObject(given)) return 'the body must be a JSON object';
  if (!isCount) return checkRequest(given, { book, isGateway, hasLimit: true });
  const { generateContentRequest: whole, ...rest } = given;
  if (whole === undefined) return unknownKeys(given, ['contents']) ?? checkRequest(given, { book, isGateway });
  const { model, ...request } = whole;
  return firstProblem([
    unknownKeys(rest, []),
    /^models\/./.test(model) ? null : 'generateContentRequest.model: must be models/…',
    checkRequest(request, { book, isGateway }),
  ]);
}

type Options = { readonly book: SignatureBook; readonly isGateway: boolean; readonly hasLimit?: boolean };

function checkRequest(body: Json, { book, isGateway, hasLimit }: Options): string | null {
  return firstProblem(
    (function* () {
      yield checkBody(body, 'contents');
      yield isGateway ? null : unknownKeys(body, bodyKeys);
      yield unknownKeys(body.generationConfig, configKeys, 'generationConfig.');
      yield hasLimit ? checkLimit('generationConfig.maxOutputTokens', body.generationConfig?.maxOutputTokens) : null;
      const declarations = declarationsOf(body);
      for (const { name, parameters } of declarations) {
        yield namePattern.test(name) ? null : `invalid function name "${name}"`;
        yield parameters === undefined ? null : checkGeminiSchema(parameters, `${name}.parameters`);
      }
      yield checkUniqueNames(declarations.map(({ name }) => name));
      const { mode = 'AUTO', allowedFunctionNames = [] } = body.toolConfig?.functionCallingConfig ?? {};
      yield modes.includes(mode) ? null : `functionCallingConfig.mode: "${mode}" is none of ${modes.join()}`;
      yield allowedFunctionNames.length > 0 && !['ANY', 'VALIDATED'].includes(mode)
        ? 'allowedFunctionNames: only with mode ANY or VALIDATED'
        : null;
      for (const part of body.systemInstruction?.parts ?? []) {
        yield part.text ? null : 'systemInstruction: an empty text part';
      }
      yield checkContents(body.contents, book);
    })(),
  );
}

function checkContents(contents: Json[], book: SignatureBook): string | null {
  return firstProblem(
    (function* () {
      let open: Json[] = [];
      let last = '';
      for (const [index, { role = 'user', parts = [] }] of contents.entries()) {
        const at = `contents[${index}]`;
        yield ['user', 'model', 'function'].includes(role) ? null : `${at}.role: must be user or model`;
        yield parts.length > 0 ? null : `${at}.parts: must not be empty`;
        for (const part of parts) {
          yield unknownKeys(part, partKeys, `${at}.parts.`);
          yield part.text === '' && !part.thoughtSignature ? `${at}: an empty text part` : null;
        }
        yield checkResponses(at, role, parts, open);
        open = parts.filter((part: Json) => part.functionCall);
        yield open.length > 0 && role !== 'model' ? `${at}: function calls are the model's` : null;
        yield open.length > 0 && last === 'model' ? `${at}: a function call must come right after a user turn` : null;
        yield open.length > 0 && index === 0 ? `${at}: a function call must come right after a user turn` : null;
        for (const { functionCall } of open) {
          yield namePattern.test(functionCall.name) ? null : `${at}: invalid function name "${functionCall.name}"`;
          yield isObject(functionCall.args ?? {}) ? null : `${at}: args must be an object`;
        }
        if (role === 'model') yield checkSignature(at, parts, open, book);
        last = role;
      }
      yield open.length > 0 ? 'function calls without responses at the end' : null;
    })(),
  );
}

/** In the content right after the calls, as many as there were calls, in their order. */
function checkResponses(at: string, role: string, parts: Json[], open: readonly Json[]): string | null {
  return firstProblem(
    (function* () {
      const responses = parts.flatMap((part) => (part.functionResponse ? [part.functionResponse] : []));
      yield responses.length > 0 && role === 'model' ? `${at}: function responses are not the model's` : null;
      yield responses.length === open.length
        ? null
        : `${at}: the number of function response parts (${responses.length}) must equal that of function call parts (${open.length})`;
      for (const [index, { name, id, response }] of responses.entries()) {
        const { functionCall } = open[index]!;
        yield name === functionCall.name ? null : `${at}: responses in another order than their calls`;
        yield id === undefined || functionCall.id === undefined || id === functionCall.id
          ? null
          : `${at}: a response with the id of another call`;
        yield isObject(response) ? null : `${at}: function_response.response must be an object`;
        yield holdsRef(response) ? `${at}: "$ref" in a function response` : null;
      }
    })(),
  );
}

/** Signatures are unchanged, and the first call of a step that was signed bears its own. */
function checkSignature(at: string, parts: Json[], calls: Json[], book: SignatureBook): string | null {
  const invented = parts.find((part) => part.thoughtSignature && book.reasoningOf(part.thoughtSignature) === undefined);
  if (invented) return `${at}: thought signature is not valid`;
  if (calls.length === 0) return null;
  const words = contentText(parts.filter((part) => !part.thought));
  const called = calls.map(({ functionCall: { name, args } }) => ({ name, arguments: args }));
  const signatures = book.known(words, called);
  if (signatures.length === 0) return null;
  if (!calls[0]!.thoughtSignature) return `${at}: function call is missing a thought_signature`;
  if (calls.slice(1).some((part) => part.thoughtSignature)) return `${at}: only the first call of a step is signed`;
  return signatures.includes(calls[0]!.thoughtSignature) ? null : `${at}: the thought_signature of another step`;
}

function holdsRef(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => key === '$ref' || holdsRef(each));
}
