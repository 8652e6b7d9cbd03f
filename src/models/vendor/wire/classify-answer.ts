/**
 * The one table from what a provider answered to our failure: the status and the vendors' own words decide, their prose is
 * only searched. Nothing of it is shown, kept as a cause or logged, since providers quote keys and prompts (CASES B48, B64).
 */
import { TributaryError, type FailureCode } from '../../../contract/failure.ts';
import { baseUrlVariableOf, keyVariablesOf, vendorFacts, type VendorTarget } from '../vendor.ts';
import { isHarmless, readErrorParam, readErrorWords, type ErrorWords } from './error-words.ts';
import { readRetryAfter } from './retry-after.ts';

export type RefusedAnswer = {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON, else `null`. */
  readonly body: unknown;
};

/** The failure of an answer that is no success; also of an error that comes under status 200. */
export function toAnswerFailure(answer: RefusedAnswer, target: VendorTarget, nowMs: number): TributaryError {
  const words = readErrorWords(answer.body);
  const code = decideCode(answer.status, words, target);
  const { label } = vendorFacts[target.vendor];
  const shown = [...words.words, readErrorParam(answer.body) ?? '']
    .filter((word, index, all) => isHarmless(word, target.apiKey) && all.indexOf(word) === index)
    .slice(0, 4)
    .join(', ');
  const said = `${label} answered ${answer.status}${shown === '' ? '' : ` (${shown})`}`;
  const retryAfterMs = readRetryAfter(answer, nowMs);
  return new TributaryError(code, `${said}: ${adviceFor(code, answer.status, target)}`, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(answer.headers.get('x-should-retry') === 'false' && { final: true }),
  });
}

function decideCode(status: number, { words, prose }: ErrorWords, { vendor }: VendorTarget): FailureCode {
  const isOneOf = (list: readonly string[]) => words.some((word) => list.includes(word.toLowerCase()));
  if (status >= 300 && status < 400) return 'MODEL_BAD_REQUEST';
  if (status === 402 || isOneOf(quotaWords)) return 'MODEL_QUOTA';
  if (status >= 400 && status < 500 && saysQuota(vendor, words, prose)) return 'MODEL_QUOTA';
  if (status === 401 || status === 403 || isOneOf(authWords)) return 'MODEL_AUTH';
  if (status === 413 || isOneOf(contextWords)) return 'MODEL_CONTEXT';
  if ((status === 400 || status === 422) && contextProse.test(prose)) return 'MODEL_CONTEXT';
  if (status === 429 || (status < 300 && isOneOf(['rate_limit_exceeded', 'rate_limit_error'])))
    return 'MODEL_RATE_LIMIT';
  if (status < 300) return 'MODEL_BAD_RESPONSE';
  if (status === 503 || status === 529) return 'MODEL_OVERLOADED';
  // 408: the server gave up waiting; 409: a conflict that is over by the next time (both are repeated by OpenAI's own clients).
  if (status >= 500 || status === 408 || status === 409) return 'MODEL_SERVER';
  return 'MODEL_BAD_REQUEST';
}

const quotaWords = [
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'billing_error',
  'billing_disabled',
  'insufficient_balance',
  'insufficient_credits',
  'budget_exceeded',
];
/** Gemini refuses a wrong key with 400 and a reason. */
const authWords = ['api_key_invalid', 'invalid_api_key', 'api_key_service_blocked', 'authentication_error'];
const contextWords = [
  'context_length_exceeded',
  'context_window_exceeded',
  'request_too_large',
  // llama.cpp
  'exceed_context_size_error',
  // LiteLLM
  'contextwindowexceedederror',
];
/** In the words of Anthropic, OpenAI, Gemini, vLLM, llama.cpp and Ollama. */
const contextProse =
  /prompt is too long|exceed[^.]{0,40}context (limit|window|length|size)|maximum context length|input token count[^.]{0,60}exceeds|longer than the (maximum )?model length|context (window|length|size)[^.]{0,20}exceeded/i;

/** Where only the prose tells an empty purse from a limit per minute. */
function saysQuota(vendor: VendorTarget['vendor'], words: readonly string[], prose: string): boolean {
  switch (vendor) {
    case 'openai':
    case 'openai-chat':
      return /exceeded your current quota/i.test(prose);
    case 'anthropic':
      return /credit balance is too low/i.test(prose);
    case 'google':
      // "You exceeded your current quota" is also said of limits per minute; the name of the limit tells.
      return words.some((word) => /per_?day/i.test(word));
    case 'compatible':
      return /credit balance is too low|insufficient_quota|insufficient (balance|credits|funds)/i.test(prose);
    default:
      return vendor satisfies never;
  }
}

function adviceFor(code: FailureCode, status: number, target: VendorTarget): string {
  const key = keyVariablesOf(target.vendor);
  const address = `the address (${baseUrlVariableOf(target.vendor)})`;
  switch (code) {
    case 'MODEL_AUTH':
      return status === 403
        ? `the key has no right to use ${modelOf(target)}; check ${key} and what the account may use`
        : `the key was not accepted; check ${key}`;
    case 'MODEL_QUOTA':
      return `the quota or the credit of the key in ${key} is used up; top up the account or use another key`;
    case 'MODEL_CONTEXT':
      return `the conversation is larger than ${modelOf(target)} takes; use a model with a larger window, or fewer and shorter tool results`;
    case 'MODEL_RATE_LIMIT':
      return 'the rate limit of the key is reached; use fewer subagents at once if this goes on';
    case 'MODEL_OVERLOADED':
      return 'the provider has more requests than it can serve';
    case 'MODEL_SERVER':
      return 'the provider failed to serve the request';
    case 'MODEL_BAD_RESPONSE':
      return 'an error came as if it were an answer';
    default:
      if (status === 404) return `it knows no ${modelOf(target)} there; check the name of the model, and ${address}`;
      if (status < 400) return `a redirect is a configuration error and is not followed; check ${address}`;
      return `it refused the request for ${modelOf(target)}; check that the model takes text and tools`;
  }
}

function modelOf({ modelId }: VendorTarget): string {
  return `model "${modelId}"`;
}
