/** Answers that a fault gives in place of a message: the provider's error statuses, and a proxy's page. */
import type { ApiErrorType } from '../api-error.js';
import type { FaultKind, FaultOf } from './fault.js';

export interface CannedResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** An error in the API's form, or a page of some machine in between, which knows nothing of that form. */
  body: { errorType: ApiErrorType; message: string } | { html: string };
}

/** Kinds of fault that replace the whole response. */
export const CANNED_RESPONSES = {
  rate_limit: ({ retryAfterSeconds, shouldRetry }): CannedResponse => ({
    ...error(
      429,
      'rate_limit_error',
      'This request would exceed your rate limit of input tokens per minute. Please try again later.',
    ),
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...(shouldRetry === undefined ? {} : { 'x-should-retry': String(shouldRetry) }),
    },
  }),
  overloaded: () => error(529, 'overloaded_error', 'Overloaded'),
  server_error: () => error(500, 'api_error', 'Internal server error'),
  timeout_error: () =>
    error(504, 'timeout_error', 'The request timed out. Consider using streaming for long requests.'),
  authentication_error: () => error(401, 'authentication_error', 'invalid x-api-key'),
  billing_error: () =>
    error(402, 'billing_error', 'Your credit balance is too low to access the Anthropic API.'),
  prompt_too_long: () =>
    error(400, 'invalid_request_error', 'prompt is too long: 1000123 tokens > 1000000 maximum'),
  spend_limit: () =>
    error(
      400,
      'invalid_request_error',
      'You have reached your specified API usage limits. You will regain access on 2099-01-01 at 00:00 UTC.',
    ),
  permission_error: () =>
    error(403, 'permission_error', 'Your account does not have access to the requested model.'),
  conflict_error: () =>
    error(409, 'conflict_error', 'The request conflicts with another one. Please try again.'),
  // The edge in front of the API answers this one, not the API: the body is no JSON.
  request_too_large: () => page(413, '413 Request Entity Too Large'),
  // What a captive portal or a broken proxy does.
  html_200: () => page(200, 'Welcome to the network'),
  // What a firewall on the way does.
  html_403: () => page(403, 'Access denied'),
} satisfies { [K in FaultKind]?: (fault: FaultOf<K>) => CannedResponse };

function error(status: number, errorType: ApiErrorType, message: string): CannedResponse {
  return { status, headers: {}, body: { errorType, message } };
}

function page(status: number, title: string): CannedResponse {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: {
      html: `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`,
    },
  };
}
