import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
} from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import { notAnEventStream, toModelError } from './errors.js';

const NOW = new Date('2026-11-01T12:00:00Z');

function answered(status: number, type: string, message: string, headers: Record<string, string> = {}) {
  const body = {
    type: 'error',
    error: { type, message },
  };
  return toModelError(
    APIError.generate(status, body, undefined, new Headers({ 'request-id': 'req_1', ...headers })),
    NOW,
  );
}

function unreachable(code: string, message = code) {
  const cause = Object.assign(new Error('fetch failed'), {
    cause: Object.assign(new Error(message), { code }),
  });
  return toModelError(new APIConnectionError({ cause }), NOW);
}

describe('toModelError', () => {
  it('says what it knows of a refusal', () => {
    expect(answered(400, 'invalid_request_error', 'messages.0: bad')).toEqual({
      class: 'request',
      message: 'messages.0: bad',
      httpStatus: 400,
      retryAfterMs: null,
      providerRequestId: 'req_1',
    });
  });

  it('keeps the text of an answer that is no JSON, and its request id when there is one', () => {
    const error = toModelError(
      APIError.generate(413, undefined, '<html>Too large</html>', new Headers()),
      NOW,
    );
    expect(error).toMatchObject({ class: 'context', providerRequestId: null, httpStatus: 413 });
    expect(error.message).toContain('<html>Too large</html>');
  });

  it('takes the request id from the body when no header has it', () => {
    const body = { type: 'error', error: { type: 'api_error', message: 'x' }, request_id: 'req_body' };
    expect(toModelError(APIError.generate(500, body, undefined, new Headers()), NOW).providerRequestId).toBe(
      'req_body',
    );
  });

  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after': 'Sun, 01 Nov 2026 12:01:30 GMT' }, 90_000],
    [{ 'retry-after': 'Sun, 01 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '99999999999' }, 604_800_000],
  ])('reads how long to wait from %j', (headers, expected) => {
    const { retryAfterMs } = answered(
      429,
      'rate_limit_error',
      'slow down',
      headers as Record<string, string>,
    );
    expect(retryAfterMs).toBe(expected);
  });

  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'UND_ERR_CONNECT_TIMEOUT',
    'EPIPE',
  ])('takes %s for a network error and says so', (code) => {
    const error = unreachable(code, `connect ${code} 10.0.0.1:443`);
    expect(error.class).toBe('network');
    expect(error.message).toBe(`Could not reach the model endpoint: connect ${code} 10.0.0.1:443`);
  });

  it.each([
    'CERT_HAS_EXPIRED',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_INVALID_URL',
  ])('takes %s for a mistake in the setup, not for the network', (code) => {
    expect(unreachable(code).class).toBe('request');
  });

  it('tells a timeout, an abort, a broken stream and a bug apart', () => {
    const broken = Object.assign(new TypeError('terminated'), {
      cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
    });
    expect(toModelError(new APIConnectionTimeoutError(), NOW)).toMatchObject({
      class: 'network',
      message: expect.stringContaining('timed out'),
    });
    expect(toModelError(new APIUserAbortError(), NOW).class).toBe('aborted');
    expect(toModelError(broken, NOW)).toMatchObject({
      class: 'network',
      message: expect.stringContaining('other side closed'),
    });
    expect(toModelError(new SyntaxError('Unexpected token'), NOW).class).toBe('network');
    expect(toModelError(new TypeError('x is not a function'), NOW).class).toBe('request');
    expect(toModelError('thrown text', NOW).class).toBe('request');
  });
});

describe('notAnEventStream', () => {
  it('names the content type and the missing request id', () => {
    const error = notAnEventStream(
      new Response('<html/>', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    );
    expect(error?.modelError).toMatchObject({ class: 'request', httpStatus: 200, providerRequestId: null });
    expect(error?.message).toMatch(/content type "text\/html; charset=utf-8".*without a request-id/);
  });

  it('lets event streams pass, and answers without a content type', () => {
    const stream = { headers: { 'content-type': 'text/event-stream; charset=utf-8' } };
    expect(notAnEventStream(new Response('', stream))).toBeNull();
    expect(notAnEventStream(new Response(null))).toBeNull();
  });
});
