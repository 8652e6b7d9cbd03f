/** The errors of each vendor: their shape, and the words that go with a status. */
import type { ErrorAnswer, Json } from './provider-api.ts';

const openAiTypes: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  403: ['invalid_request_error', 'unsupported_country_region_territory'],
  404: ['invalid_request_error', 'model_not_found'],
  429: ['requests', 'rate_limit_exceeded'],
};

/** Of Chat Completions and of Responses. */
export function openAiError({ status, code, message = 'It failed.' }: ErrorAnswer): Json {
  const [type, usual] = openAiTypes[status] ?? ['server_error', null];
  return { error: { message, type: code ?? type, param: null, code: code ?? usual } };
}

const anthropicTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

export function anthropicError({ status, code, message = 'It failed.' }: ErrorAnswer): Json {
  const type =
    code ?? anthropicTypes[status] ?? (status < 500 && status !== 200 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: 'req_1' };
}

const googleStatuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function geminiError({ status, code, message = 'It failed.', retryDelay, quotaId }: ErrorAnswer): Json {
  const details = [
    ...(quotaId === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] }]),
    ...(retryDelay === undefined ? [] : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }]),
  ];
  return {
    error: {
      code: status,
      message,
      status: code ?? googleStatuses[status] ?? 'UNKNOWN',
      ...(details.length > 0 && { details }),
    },
  };
}
