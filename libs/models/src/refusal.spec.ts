import { APIError } from '@anthropic-ai/sdk';
import type { ModelErrorClass } from '@bullpen/core';
import { describe, expect, it } from '@jest/globals';
import { readRefusal } from './refusal.js';

type HeaderFields = Record<string, string>;
const ID: HeaderFields = { 'request-id': 'req_1' };

/** An error answer of the provider. */
function answered(status: number, type: string, message: string, headers: HeaderFields = {}, code?: string) {
  const details = code === undefined ? {} : { details: { error_code: code } };
  const body = { type: 'error', error: { type, message, ...details }, request_id: 'req_1' };
  return readRefusal(APIError.generate(status, body, undefined, new Headers({ ...ID, ...headers })));
}

/** An `error` event; its type may be one that the SDK does not know yet. */
function inStream(type: string, message: string, code?: string) {
  const details = code === undefined ? null : { error_code: code };
  const body = { type: 'error', error: { details, type, message } };
  const known = type as APIError['type'];
  return readRefusal(new APIError(undefined, body, undefined, new Headers(ID), known));
}

/** An answer whose body is not the provider's: JSON of another shape as an object, anything else as text. */
function foreign(status: number, body: object | string, headers: HeaderFields = {}) {
  const [json, text] = typeof body === 'string' ? [undefined, body] : [body, undefined];
  return readRefusal(APIError.generate(status, json, text, new Headers(headers)));
}

const PAGE = '<!doctype html><html><body>Access denied</body></html>';
const ACCOUNT: readonly (readonly [string, ModelErrorClass])[] = [
  [
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    'billing',
  ],
  [
    'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
    'billing',
  ],
  [
    'You have reached your specified workspace API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
    'billing',
  ],
  ['This organization has been disabled.', 'authentication'],
  ['OAuth authentication is currently not allowed for this organization.', 'authentication'],
];
const TOO_LONG = [
  'prompt is too long: 210000 tokens > 200000 maximum',
  'Prompt is too long',
  'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
  "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
];

describe('a refusal of the key or the account parks the key', () => {
  it.each([
    [401, 'authentication_error', 'invalid x-api-key', 'authentication'],
    [401, 'permission_error', 'no', 'authentication'],
    [402, 'billing_error', 'pay', 'billing'],
    [402, 'invalid_request_error', 'pay', 'billing'],
    [400, 'billing_error', 'pay', 'billing'],
    [403, 'billing_error', 'pay', 'billing'],
    [403, 'authentication_error', 'revoked', 'authentication'],
  ])('by status and type: %i %s "%s" is %s', (status, type, message, expected) => {
    expect(answered(status, type, message)).toEqual({ class: expected, message });
  });

  it.each([
    [429, 'rate_limit_error', 'enforced_spend_limit_reached', 'billing'],
    [400, 'invalid_request_error', 'contract_spend_limit_reached', 'billing'],
    [403, 'permission_error', 'organization_on_hold', 'authentication'],
    [400, 'invalid_request_error', 'cmek_key_disabled', 'authentication'],
  ])('by the code: %i %s with %s is %s', (status, type, code, expected) => {
    expect(answered(status, type, 'See the code.', {}, code).class).toBe(expected);
    expect(inStream(type, 'See the code.', code).class).toBe(expected);
  });

  it.each(ACCOUNT)('by a whole sentence where there is nothing else: "%s" is %s', (sentence, expected) => {
    expect(answered(400, 'invalid_request_error', sentence).class).toBe(expected);
    expect(answered(403, 'permission_error', sentence).class).toBe(expected);
    expect(inStream('invalid_request_error', sentence).class).toBe(expected);
  });

  it('also as compatible servers word it, without a request id', () => {
    const body = { error: { message: 'No auth credentials found', code: 401 } };
    expect(foreign(401, body)).toEqual({ class: 'authentication', message: 'No auth credentials found' });
  });

  it('also when the provider says no word but its request id', () => {
    expect(foreign(401, '', ID).class).toBe('authentication');
  });
});

describe('a refusal of one request is nobody else’s', () => {
  it.each([
    [400, 'invalid_request_error', 'messages.0: bad'],
    [403, 'permission_error', 'Your account does not have access to the model claude-opus-5-5.'],
    [403, 'forbidden', 'Request not allowed'],
    [404, 'not_found_error', 'model: claude-nope'],
    [422, 'invalid_request_error', 'no'],
  ])('%i %s "%s"', (status, type, message) => {
    expect(answered(status, type, message)).toEqual({ class: 'request', message });
  });

  it.each(['linked_organization_spend_limit_reached', 'linked_organization_billing_unavailable'])(
    'with the code %s it is about somebody else’s account',
    (code) => {
      expect(answered(400, 'invalid_request_error', 'limit', {}, code).class).toBe('request');
    },
  );

  it.each(TOO_LONG)('that does not fit is told apart: "%s"', (sentence) => {
    expect(answered(400, 'invalid_request_error', sentence).class).toBe('context');
    expect(inStream('invalid_request_error', sentence).class).toBe('context');
  });

  it.each([
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.5: The final block in an assistant message cannot be `thinking`.',
    'messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
  ])('for the thinking in its history is told apart: "%s"', (sentence) => {
    expect(answered(400, 'invalid_request_error', sentence).class).toBe('thinking');
    expect(answered(400, 'invalid_request_error', `messages.1: bad text: ${sentence}`).class).toBe('request');
  });

  it.each([
    [413, 'request_too_large', undefined],
    [400, 'exceed_context_size_error', undefined],
    [400, 'invalid_request_error', 'context_length_exceeded'],
  ])('that is too large is known without words, too: %i %s %s', (status, type, code) => {
    expect(answered(status, type, 'No.', {}, code).class).toBe('context');
  });
});

describe('what may pass is tried again', () => {
  it.each([
    [408, 'timeout_error', 'network'],
    [409, 'conflict_error', 'network'],
    [429, 'rate_limit_error', 'rate_limit'],
    [429, 'invalid_request_error', 'rate_limit'],
    [500, 'api_error', 'network'],
    [500, 'overloaded_error', 'overload'],
    [502, 'api_error', 'network'],
    [503, 'authentication_error', 'network'],
    [504, 'timeout_error', 'network'],
    [529, 'overloaded_error', 'overload'],
  ])('%i %s is %s', (status, type, expected) => {
    expect(answered(status, type, 'No.').class).toBe(expected);
  });

  it.each([
    ['overloaded_error', 'overload'],
    ['api_error', 'network'],
    ['timeout_error', 'network'],
    ['rate_limit_error', 'rate_limit'],
    ['some_new_error', 'network'],
    ['invalid_request_error', 'request'],
    ['permission_error', 'request'],
    ['authentication_error', 'authentication'],
    ['billing_error', 'billing'],
  ])('inside of a stream %s is %s', (type, expected) => {
    expect(inStream(type, 'No.').class).toBe(expected);
  });

  it('an error event that is no JSON is a stream that broke', () => {
    const error = new APIError(undefined, 'oops' as unknown as object, undefined, new Headers(ID));
    expect(readRefusal(error).class).toBe('network');
  });
});

describe('x-should-retry', () => {
  const REFUSED = [400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 529];
  const TYPES = ['invalid_request_error', 'permission_error', 'authentication_error', 'billing_error'];

  it('true makes every answer one that is tried again', () => {
    for (const status of REFUSED)
      for (const type of TYPES) {
        const { class: errorClass } = answered(status, type, 'No.', { 'x-should-retry': 'true' });
        expect(['network', 'rate_limit', 'overload']).toContain(errorClass);
      }
  });

  it('false makes none of them one that is tried again or that others hear of', () => {
    for (const status of [408, 409, 429, 500, 503, 529])
      expect(answered(status, 'api_error', 'No.', { 'x-should-retry': 'false' }).class).toBe('request');
    expect(foreign(503, PAGE, { 'x-should-retry': 'false' }).class).toBe('request');
  });

  it('false leaves a refused key refused', () => {
    const said = { 'x-should-retry': 'false' };
    expect(answered(401, 'authentication_error', 'invalid x-api-key', said).class).toBe('authentication');
    expect(answered(429, 'rate_limit_error', 'cap', said, 'enforced_spend_limit_reached').class).toBe(
      'billing',
    );
  });
});

describe('an answer of somebody on the way', () => {
  const bodies: (object | string)[] = [
    PAGE,
    'Forbidden',
    '',
    { message: 'Forbidden' },
    { error: 'blocked' },
    [],
  ];

  it('says nothing about the key, whatever its status', () => {
    for (const status of [401, 402, 403, 429, 502, 503, 529])
      for (const body of bodies) expect(foreign(status, body).class).toBe('network');
    for (const status of [400, 404, 407, 451])
      for (const body of bodies) expect(foreign(status, body).class).toBe('request');
  });

  it('is known as a page even when it passes a request id on', () => {
    for (const status of [401, 402, 403, 429]) expect(foreign(status, PAGE, ID).class).toBe('network');
  });

  it('is told as one, with its own words', () => {
    const { message } = foreign(403, PAGE, { 'content-type': 'text/html' });
    expect(message).toContain('status 403 did not come from the Messages API (text/html)');
    expect(message).toContain('Check the base URL, and any proxies and firewalls in between.');
    expect(message).toContain('Access denied');
    expect(foreign(407, PAGE).message).toContain('requires a user and a password');
  });

  it('counts as too large when a proxy says so', () => {
    expect(foreign(413, PAGE).class).toBe('context');
  });
});

describe('no message that quotes another changes its class', () => {
  const dangerous = [
    ...ACCOUNT.map(([sentence]) => sentence),
    ...TOO_LONG,
    'invalid x-api-key',
    'billing_error: spend limit reached',
    'authentication_error',
    'organization_on_hold enforced_spend_limit_reached',
    'Overloaded; rate_limit_error; context_length_exceeded',
    '{"type":"error","error":{"type":"billing_error","message":"pay","details":{"error_code":"organization_on_hold"}}}',
    'x-should-retry: true',
    PAGE,
  ];
  const quotes: ((said: string) => string)[] = [
    (said) => `messages.3.content.0.text: ${said}`,
    (said) => `messages.3: \`${said}\``,
    (said) => `"${said}" is not valid here`,
    (said) => `${said} is not valid here`,
    (said) => `${said}\nmessages.3: bad`,
    (said) => `messages.3: bad\n${said}`,
    (said) => `tool printed: ${said} ${said}`,
    (said) => ` ${said}`,
  ];
  const answers: readonly (readonly [number, string])[] = [
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [408, 'timeout_error'],
    [409, 'conflict_error'],
    [413, 'request_too_large'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ];
  const quoting = dangerous.flatMap((said) => quotes.map((quote) => quote(said)));

  it.each(answers)('%i %s', (status, type) => {
    const plain = answered(status, type, 'No.').class;
    for (const message of quoting)
      expect([message, answered(status, type, message).class]).toEqual([message, plain]);
    for (const shouldRetry of ['true', 'false']) {
      const headers = { 'x-should-retry': shouldRetry };
      const expected = answered(status, type, 'No.', headers).class;
      for (const message of quoting) expect(answered(status, type, message, headers).class).toBe(expected);
    }
  });

  it.each(answers)('inside of a stream (of %i) %s', (_status, type) => {
    const plain = inStream(type, 'No.').class;
    for (const message of quoting) expect([message, inStream(type, message).class]).toEqual([message, plain]);
  });

  it('of somebody on the way', () => {
    for (const status of [400, 401, 403, 404, 429, 500]) {
      const plain = foreign(status, 'No.').class;
      for (const message of quoting) expect(foreign(status, `x ${message}`).class).toBe(plain);
    }
  });
});

it('takes fields of any kind without throwing', () => {
  const strange = [null, 7, 'text', {}, [], true];
  for (const type of strange)
    for (const message of strange)
      for (const details of strange) {
        const error = { type, message, details };
        const body = { error } as object;
        const read = readRefusal(APIError.generate(400, body, undefined, new Headers(ID)));
        expect(typeof read.message).toBe('string');
      }
});
