/** Any failure of a model call as one of the core's error classes. What a class means for the task is decided there. */
import { plural } from '@bullpen/contracts';
import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from '@anthropic-ai/sdk';
import type { ModelError, ModelErrorClass } from '@bullpen/core';
import { readRefusal } from './refusal.js';

/** A failure that is already classified, for the code between the transport and the stream. */
export class ModelCallError extends Error {
  readonly modelError: ModelError;

  constructor(errorClass: ModelErrorClass, message: string, details: Partial<ModelError> = {}) {
    super(message);
    this.name = 'ModelCallError';
    this.modelError = {
      httpStatus: null,
      retryAfterMs: null,
      providerRequestId: null,
      ...details,
      class: errorClass,
      message,
    };
  }
}

/**
 * Classifies what the SDK or the transport threw. The message keeps the provider's own text. `now` is used for a
 * `retry-after` header that holds a date; `route` says which way requests go (` through the proxy …`). Never throws.
 */
export function toModelError(error: unknown, now: Date, route = ''): ModelError {
  if (error instanceof ModelCallError) return error.modelError;
  if (error instanceof APIUserAbortError)
    return new ModelCallError('aborted', 'The model call was aborted.').modelError;
  if (error instanceof APIConnectionError) return ownError(error) ?? connectionError(error, route);
  if (error instanceof APIError) return providerError(error, now);
  return otherError(error);
}

/** The content type of an event stream, whatever its parameters. */
export const EVENT_STREAM = /^text\/event-stream\b/i;

/**
 * The error for a 2xx answer that is not an event stream: a proxy, a login page, or a wrong base URL answered. Null for an event
 * stream, and for an answer without a content type, which gets the benefit of the doubt.
 */
export function notAnEventStream(response: Response): ModelCallError | null {
  const contentType = response.headers.get('content-type');
  if (contentType === null || EVENT_STREAM.test(contentType)) return null;
  const requestId = response.headers.get('request-id');
  const size = response.headers.get('content-length');
  const text =
    `The model endpoint answered ${response.status} with content type "${contentType}" instead of an event stream` +
    `${size === null ? '' : `, ${plural(Number(size), 'byte')}`}${requestId === null ? ', and without a request-id' : ''}. ` +
    `That is not the Messages API: check the base URL and any proxies in between.`;
  return new ModelCallError('request', text, { httpStatus: response.status, providerRequestId: requestId });
}

function providerError(error: APIError, now: Date): ModelError {
  const body = error.error as { request_id?: unknown } | null | undefined;
  const bodyRequestId = typeof body?.request_id === 'string' ? body.request_id : null;
  const { class: errorClass, message } = readRefusal(error);
  return {
    class: errorClass,
    message,
    httpStatus: error.status ?? null,
    retryAfterMs: error.headers ? retryAfterMs(error.headers, now) : null,
    providerRequestId: error.requestID ?? bodyRequestId,
  };
}

/** A longer wait than this counts as a mistake of the other side, in ms; the store counts in 32 bits. */
const MOST_RETRY_AFTER_MS = 7 * 24 * 3_600_000;

function retryAfterMs(headers: Headers, now: Date): number | null {
  const asked = askedMs(headers, now);
  return asked === null ? null : Math.min(asked, MOST_RETRY_AFTER_MS);
}

/** Milliseconds to wait, from `retry-after-ms` or `retry-after` (seconds or a date); null when neither can be read. */
function askedMs(headers: Headers, now: Date): number | null {
  const millis = wholeNumber(headers.get('retry-after-ms'), 1);
  if (millis !== null) return millis;
  const header = headers.get('retry-after');
  const seconds = wholeNumber(header, 1_000);
  if (seconds !== null) return seconds;
  const date = header === null ? NaN : Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}

function wholeNumber(text: string | null, factor: number): number | null {
  return text !== null && /^\d{1,12}(\.\d{1,9})?$/.test(text.trim())
    ? Math.ceil(Number(text) * factor)
    : null;
}

/** Codes for a peer that is not who it should be, or for an invalid address: trying again cannot help. */
const HOPELESS_CODE =
  /CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$|^UNABLE_TO_GET_ISSUER|SELF_SIGNED|^HOSTNAME_MISMATCH$|^ERR_INVALID_URL$/;

/** What undici says when a proxy refuses a tunnel. */
const TUNNEL_REFUSED = /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/;

function connectionError(error: APIConnectionError, route: string): ModelError {
  const causes = causeChain(error);
  const refused = causes.map(({ message }) => TUNNEL_REFUSED.exec(message)?.[1]).find(Boolean);
  if (refused !== undefined) return tunnelError(refused, route);
  const isHopeless = causes.some(({ code }) => HOPELESS_CODE.test(code));
  const wasTimeout = error instanceof APIConnectionTimeoutError;
  const reason = wasTimeout ? 'the request timed out' : describeCauses(causes);
  const text = `Could not reach the model endpoint${route}: ${reason}`;
  return new ModelCallError(isHopeless ? 'request' : 'network', text).modelError;
}

function tunnelError(status: string, route: string): ModelError {
  const text = `Could not reach the model endpoint${route}: the proxy answered ${status}`;
  return status === '407'
    ? new ModelCallError('request', `${text}; it requires a user and a password, which belong in its URL`)
        .modelError
    : new ModelCallError('network', text).modelError;
}

/** Our own error, when it is what made the connection fail. */
function ownError(error: Error): ModelError | null {
  const { cause } = error;
  if (cause instanceof ModelCallError) return cause.modelError;
  return cause instanceof Error ? ownError(cause) : null;
}

/** What broke while the stream was read, or before a request left: undici's plain errors, and mistakes of our own. */
function otherError(error: unknown): ModelError {
  const causes = causeChain(error);
  const isTransport = causes.some(
    ({ code, message }) => code !== '' || /terminated|fetch failed|socket|premature/i.test(message),
  );
  const isBrokenEvent = causes.some(({ name }) => name === 'SyntaxError');
  if (isBrokenEvent)
    return new ModelCallError(
      'network',
      `The model's stream contained an invalid event: ${describeCauses(causes)}`,
    ).modelError;
  if (isTransport)
    return new ModelCallError('network', `The model's stream broke off: ${describeCauses(causes)}`)
      .modelError;
  return new ModelCallError('request', `The model call failed: ${describeCauses(causes)}`).modelError;
}

interface Cause {
  readonly name: string;
  readonly message: string;
  readonly code: string;
}

/** An error and its causes, outermost first. By shape, not by class: transports throw errors of other realms. */
function causeChain(error: unknown): Cause[] {
  const chain: Cause[] = [];
  let current = error;
  while (typeof current === 'object' && current !== null && chain.length < 8) {
    const { name, message, code, cause } = current as Record<string, unknown>;
    chain.push({ name: textOf(name), message: textOf(message), code: textOf(code) });
    current = cause;
  }
  return chain;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The innermost cause says what happened ("connect ECONNREFUSED 127.0.0.1:1"); the outer ones say "fetch failed". */
function describeCauses(causes: readonly Cause[]): string {
  const innermost = causes.findLast(({ message, code }) => message !== '' || code !== '');
  if (innermost === undefined) return 'no reason was given';
  const { message, code } = innermost;
  return code === '' || message.includes(code) ? message : `${message} (${code})`.trim();
}
