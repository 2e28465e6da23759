/**
 * What an error answer means: by status, by the provider's own type and code, by `x-should-retry`, and by whether it is the
 * provider who answers. Never by words inside a message: messages quote requests, which contain whatever a tool has printed. The
 * few things that the provider says only in words are recognised by whole sentences.
 */
import type { APIError } from '@anthropic-ai/sdk';
import type { ModelErrorClass } from '@bullpen/core';
import { asFields } from './wire-values.js';

/** An error answer, or an error event inside a stream: the parts that matter here. */
interface Refusal {
  /** Null inside of a stream. */
  readonly status: number | null;
  readonly type: string | null;
  readonly code: string | null;
  readonly message: string;
  readonly fromProvider: boolean;
  /** What the endpoint itself says about trying again. */
  readonly shouldRetry: boolean | null;
}

/** Its class and its text: the provider's own, or what is known about an answer from somebody else. */
export function readRefusal(error: APIError): { readonly class: ModelErrorClass; readonly message: string } {
  const refusal = refusalOf(error);
  return { class: classOf(refusal), message: refusal.fromProvider ? refusal.message : foreignText(error) };
}

function refusalOf(error: APIError): Refusal {
  const answer = asFields(error.error);
  // Amazon names the type in a header, and has the message at the top.
  const amazons = error.headers?.get('x-amzn-errortype')?.split(':')[0] ?? null;
  const body = amazons === null ? asFields(answer['error']) : answer;
  const type = textOf(body['type']) ?? amazons;
  const message = textOf(body['message']);
  const status = error.status ?? null;
  return {
    status,
    type,
    code: textOf(asFields(body['details'])['error_code']) ?? textOf(body['code']),
    message: message ?? error.message,
    fromProvider: status === null || type !== null || message !== null || bearsRequestId(error),
    shouldRetry: status === null ? null : yesOrNo(error.headers?.get('x-should-retry')),
  };
}

/** The provider's answers have a request id and are not web pages: a proxy that shows one may pass the header on. */
function bearsRequestId({ headers, message }: APIError): boolean {
  return Boolean(headers?.get('request-id')) && !/^\d*\s*</.test(message);
}

function foreignText({ status, headers, message }: APIError): string {
  const contentType = headers?.get('content-type') ?? 'no content type';
  const advice =
    status === 407
      ? 'A proxy in between requires a user and a password: put them in its URL.'
      : 'Check the base URL, and any proxies and firewalls in between.';
  return `The answer with status ${status} did not come from the Messages API (${contentType}). ${advice} It says: ${message}`;
}

/** The endpoint knows best whether the same request may succeed later. */
function classOf(refusal: Refusal): ModelErrorClass {
  const errorClass = plainClassOf(refusal);
  if (refusal.shouldRetry === true && !isRetried(errorClass)) return 'network';
  if (refusal.shouldRetry === false && isRetried(errorClass)) return 'request';
  return errorClass;
}

function isRetried(errorClass: ModelErrorClass): boolean {
  return errorClass === 'network' || errorClass === 'rate_limit' || errorClass === 'overload';
}

function plainClassOf(refusal: Refusal): ModelErrorClass {
  const { status, type, code, message, fromProvider } = refusal;
  if (!fromProvider) return classOfForeign(status);
  const coded = CLASS_OF_CODE.get(code ?? '');
  if (coded) return coded;
  if (status !== null && status >= 500)
    return status === 529 || type === 'overloaded_error' ? 'overload' : 'network';
  const typed = CLASS_OF_TYPE.get(type ?? '');
  if (typed) return typed;
  const spoken = SENTENCES.find(([sentence]) => sentence.test(message))?.[1];
  return spoken ?? (status === null ? classInStream(type) : (CLASS_OF_STATUS.get(status) ?? 'request'));
}

/** Without a status, what is no refusal is a stream that broke on the other side: `api_error`, and types that are not known yet. */
function classInStream(type: string | null): ModelErrorClass {
  return REFUSALS.has(type ?? '') ? 'request' : 'network';
}

/** From a proxy: its refusals are never about the key. A page with 404 usually means a wrong base URL. */
function classOfForeign(status: number | null): ModelErrorClass {
  if (status === 401 || status === 402 || status === 403 || status === 429) return 'network';
  if (status !== null && status >= 500) return 'network';
  return CLASS_OF_STATUS.get(status ?? 0) ?? 'request';
}

const CLASS_OF_STATUS: ReadonlyMap<number, ModelErrorClass> = new Map([
  [401, 'authentication'],
  [402, 'billing'],
  [408, 'network'],
  [409, 'network'],
  [413, 'context'],
  [429, 'rate_limit'],
]);

/** Types that say more than the status; also those of compatible servers. */
const CLASS_OF_TYPE: ReadonlyMap<string, ModelErrorClass> = new Map([
  ['authentication_error', 'authentication'],
  ['billing_error', 'billing'],
  ['rate_limit_error', 'rate_limit'],
  ['overloaded_error', 'overload'],
  ['request_too_large', 'context'],
  ['exceed_context_size_error', 'context'],
  // Amazon's, in a header and in a stream.
  ['UnrecognizedClientException', 'authentication'],
  ['InvalidSignatureException', 'authentication'],
  ['ExpiredTokenException', 'authentication'],
  ['ThrottlingException', 'rate_limit'],
  ['throttlingException', 'rate_limit'],
  ['serviceUnavailableException', 'overload'],
  ['modelNotReadyException', 'overload'],
]);

/** Only this request is refused, such as a model that this account may not use; others may go on. */
const REFUSALS: ReadonlySet<string> = new Set([
  'permission_error',
  'not_found_error',
  'invalid_request_error',
  'validationException',
]);

/** Codes that say more than the type (the SDK's `ErrorDetails`). Those about a linked organization are not about the key. */
const CLASS_OF_CODE: ReadonlyMap<string, ModelErrorClass> = new Map([
  ['enforced_spend_limit_reached', 'billing'],
  ['contract_spend_limit_reached', 'billing'],
  ['organization_on_hold', 'authentication'],
  ['claude_code_key_creator_not_member', 'authentication'],
  ['cmek_key_disabled', 'authentication'],
  ['cmek_key_network_blocked', 'authentication'],
  ['cmek_key_unreachable', 'network'],
  ['cmek_context_unavailable', 'network'],
  ['context_length_exceeded', 'context'],
]);

/**
 * Errors that have no specific type or code. The account's state comes as `invalid_request_error` (400) or `permission_error`
 * (403), a prompt that does not fit as `invalid_request_error`. Each must be the whole message.
 */
const SENTENCES: readonly (readonly [RegExp, ModelErrorClass])[] = [
  [
    /^Your credit balance is too low to access the (Anthropic|Claude) API\.( Please go to Plans & Billing to upgrade or purchase credits\.)?$/,
    'billing',
  ],
  [
    /^You have reached your specified (workspace )?API usage limits\.( You will regain access on [\w :,+-]{4,40}\.?)?$/,
    'billing',
  ],
  [/^This organization has been disabled\.$/, 'authentication'],
  [
    // Only the beginning: what follows says where, or names the model.
    /^(messages\.\d+(\.content\.\d+)?: )?(Invalid `(signature|data)` in `(redacted_)?thinking` block|The final block in an assistant message cannot be `(redacted_)?thinking`|`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified)/,
    'thinking',
  ],
  [/^OAuth authentication is currently not allowed for this organization\.$/, 'authentication'],
  [/^Input is too long for requested model\.$/, 'context'],
  [/^prompt is too long(: \d+ tokens > \d+ maximum)?\.?$/i, 'context'],
  [
    /^input length and `max_tokens` exceed context limit: \d+ \+ \d+ > \d+(, decrease input length or `max_tokens` and try again)?\.?$/,
    'context',
  ],
  [
    /^This model's maximum context length is \d+ tokens\.( However, [\w ()+,]{1,200}\.)?( Please [\w ,]{1,200}\.)?$/,
    'context',
  ],
];

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function yesOrNo(header: string | null | undefined): boolean | null {
  return header === 'true' ? true : header === 'false' ? false : null;
}
