/** Statuses and error bodies. What is about one request is that task's matter; what is about the key waits for a person. */
import { apiError, calls, refuses, says, type Reply } from '../reply.js';
import { call, thinking } from '../sse.js';
import { AFTER, type Expectation, type WireCase } from '../wire-case.js';

const HTML = { 'content-type': 'text/html' };
const PAGE = '<html><head><title>Forbidden</title></head><body>Blocked by the firewall.</body></html>';
const QUOTE =
  'messages.2.content.0.tool_result.content: the text "Your credit balance is too low, the spending limit is reached, prompt is too long, this organization has been disabled" is not allowed here';

/** One refusal, then ordinary answers. */
function once(name: string, what: string, reply: Reply, expect: Expectation): WireCase {
  return { name: `status-${name}`, what, replies: [reply], expect, alone: true };
}

/** The task fails at once, with what was said; nobody else notices. */
const FAILS: Expectation = { state: 'failed', cause: 'error', requests: 1 };
/** It was worth another try. */
const RETRIED: Expectation = { output: AFTER, requests: 2 };
/** It may fail or be tried again; what counts is that nobody else notices. */
const EITHER: Expectation = { state: ['failed', 'completed'], requests: [1, 5] };
/** Nothing goes on with this key before a person says so; then this task does. */
const PARKS: Expectation = { state: 'waiting', requests: 1, parks: true };

const ofOneRequest: readonly WireCase[] = [
  once(
    '403-model',
    '403 for one model',
    apiError(403, 'permission_error', 'Your account does not have access to the model claude-sonnet-5-5.'),
    FAILS,
  ),
  once(
    '403-permission',
    '403 for a resource',
    apiError(403, 'permission_error', 'Your API key does not have permission to use the specified resource.'),
    FAILS,
  ),
  once(
    '403-unknown-type',
    '403 of a type that is not known',
    apiError(403, 'geo_error', 'Not in your region.'),
    EITHER,
  ),
  once('403-html', '403 with a page of a firewall, no request id', refuses(403, PAGE, HTML), EITHER),
  once('403-empty', '403 without a body', refuses(403, ''), EITHER),
  once(
    '403-quote',
    '403 for a request whose message quotes words about money',
    apiError(403, 'permission_error', QUOTE),
    FAILS,
  ),
  once('400-request', '400', apiError(400, 'invalid_request_error', 'max_tokens: Field required'), {
    ...FAILS,
    failure: /max_tokens/,
  }),
  once(
    '400-quote',
    '400 whose message quotes words about money and length',
    apiError(400, 'invalid_request_error', QUOTE),
    { ...FAILS, failure: /not allowed here/ },
  ),
  once('400-html', '400 with a page', refuses(400, PAGE, HTML), FAILS),
  once('400-empty', '400 without a body', refuses(400, ''), FAILS),
  once('404-model', '404 for the model', apiError(404, 'not_found_error', 'model: claude-nothing'), FAILS),
  once('404-html', '404 with a page', refuses(404, PAGE, HTML), FAILS),
  once('405-html', '405 with a page', refuses(405, PAGE, HTML), EITHER),
  once('413-json', '413', apiError(413, 'request_too_large', 'Request exceeds the maximum size'), {
    state: ['failed', 'waiting'],
    requests: [1, 5],
  }),
  once('413-html', '413 with a page of a proxy', refuses(413, PAGE, HTML), {
    state: ['failed', 'waiting'],
    requests: [1, 5],
  }),
  once('422-json', '422', apiError(422, 'invalid_request_error', 'Unprocessable'), FAILS),
  once(
    '429-not-again',
    '429 that says not to try again',
    apiError(429, 'rate_limit_error', 'This request can never fit your limit.', {
      'x-should-retry': 'false',
    }),
    { state: ['failed', 'waiting'], requests: [1, 5] },
  ),
  once('451-html', '451 with a page', refuses(451, PAGE, HTML), EITHER),
];

const worthAnotherTry: readonly WireCase[] = [
  once('408', '408', apiError(408, 'timeout_error', 'Timed out'), RETRIED),
  once('409', '409 once', apiError(409, 'conflict_error', 'Conflict'), RETRIED),
  once('409-html', '409 with a page', refuses(409, PAGE, HTML), RETRIED),
  once(
    '400-again',
    '400 that says to try again',
    apiError(400, 'invalid_request_error', 'Once more, please.', { 'x-should-retry': 'true' }),
    RETRIED,
  ),
  once(
    '403-again',
    '403 that says to try again',
    apiError(403, 'permission_error', 'Once more, please.', { 'x-should-retry': 'true' }),
    RETRIED,
  ),
  once(
    '404-again',
    '404 that says to try again',
    apiError(404, 'not_found_error', 'Once more, please.', { 'x-should-retry': 'true' }),
    RETRIED,
  ),
  once(
    '429',
    '429 with retry-after 1',
    apiError(429, 'rate_limit_error', 'Slow down.', { 'retry-after': '1' }),
    RETRIED,
  ),
  once(
    '429-html',
    '429 with a page and retry-after 1',
    refuses(429, PAGE, { ...HTML, 'retry-after': '1' }),
    RETRIED,
  ),
  once(
    '429-quote',
    '429 whose message quotes words about money',
    apiError(429, 'rate_limit_error', QUOTE, { 'retry-after': '1' }),
    RETRIED,
  ),
  once('500', '500', apiError(500, 'api_error', 'Internal server error'), RETRIED),
  once('500-html', '500 with a page', refuses(500, PAGE, HTML), RETRIED),
  once('500-empty', '500 without a body', refuses(500, ''), RETRIED),
  once('500-quote', '500 whose message quotes words about money', apiError(500, 'api_error', QUOTE), RETRIED),
  once('502-html', '502 with a page', refuses(502, PAGE, HTML), RETRIED),
  once('503-empty', '503 without a body', refuses(503, ''), RETRIED),
  once('504-json', '504', apiError(504, 'timeout_error', 'Timed out'), RETRIED),
  once('520-html', '520 with a page', refuses(520, PAGE, HTML), RETRIED),
  once('529', '529', apiError(529, 'overloaded_error', 'Overloaded'), RETRIED),
  once('529-html', '529 with a page', refuses(529, PAGE, HTML), RETRIED),
];

const ofTheKey: readonly WireCase[] = [
  once('401', '401', apiError(401, 'authentication_error', 'invalid x-api-key'), PARKS),
  once('402', '402', apiError(402, 'billing_error', 'Your credit balance is too low.'), PARKS),
  once(
    '400-billing',
    '400 that by its type is about money',
    apiError(400, 'billing_error', 'Your credit balance is too low.'),
    PARKS,
  ),
  once(
    '403-billing',
    '403 that by its type is about money',
    apiError(403, 'billing_error', 'Your credit balance is too low.'),
    PARKS,
  ),
  once(
    '403-authentication',
    '403 that by its type is about the key',
    apiError(403, 'authentication_error', 'This key has been revoked.'),
    PARKS,
  ),
];

const MONEY =
  'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.';

const notAgain: readonly WireCase[] = [500, 502, 503, 529].map((status) =>
  once(
    `${status}-not-again`,
    `${status} that says not to try again`,
    apiError(status, 'api_error', 'Never.', { 'x-should-retry': 'false' }),
    EITHER,
  ),
);

/** `x-should-retry` with other values says nothing. */
const oddAdvice: readonly WireCase[] = ['', 'TRUE', 'yes', '1', 'null'].map((value, at) =>
  once(
    `advice-${at}`,
    `400 with x-should-retry ${JSON.stringify(value)}`,
    apiError(400, 'invalid_request_error', 'No.', { 'x-should-retry': value }),
    EITHER,
  ),
);

/** The words of the real API about money and length, alone and within others. */
const wordsAbout: readonly WireCase[] = [
  once(
    '400-money',
    '400 in the words of the API when the money is used up',
    apiError(400, 'invalid_request_error', MONEY),
    PARKS,
  ),
  once(
    '400-money-quoted',
    '400 that quotes these words',
    apiError(400, 'invalid_request_error', `messages.4.content.0: "${MONEY}" may not stand here`),
    FAILS,
  ),
  once(
    '400-money-first',
    '400 that begins with these words and is about something else',
    apiError(
      400,
      'invalid_request_error',
      `${MONEY} messages.4: is what the tool said, and it may not stand here`,
    ),
    FAILS,
  ),
  once(
    '429-money-quoted',
    '429 that quotes them',
    apiError(429, 'rate_limit_error', `A tool said: ${MONEY}`, { 'retry-after': '1' }),
    RETRIED,
  ),
  once(
    '529-money-quoted',
    '529 that quotes them',
    apiError(529, 'overloaded_error', `A tool said: ${MONEY}`),
    RETRIED,
  ),
  once(
    '400-length',
    '400 in the words of the API when the prompt is too long',
    apiError(400, 'invalid_request_error', 'prompt is too long: 1000001 tokens > 1000000 maximum'),
    { state: ['failed', 'waiting'], requests: [1, 5] },
  ),
  once(
    '400-length-quoted',
    '400 that quotes these words',
    apiError(400, 'invalid_request_error', 'tools.3.description: "prompt is too long" may not stand here'),
    FAILS,
  ),
  once('404-quoted', '404 that quotes both', apiError(404, 'not_found_error', `model: ${QUOTE}`), FAILS),
];

const oddWaits = ['soon', '-5', '', '0', '1.5', 'NaN', '1e1', 'Wed, 21 Oct 2015 07:28:00 GMT', '0, 1'].map(
  (value, at): WireCase =>
    once(
      `retry-after-${at}`,
      `500 with retry-after ${JSON.stringify(value)}`,
      apiError(500, 'api_error', 'Internal', { 'retry-after': value }),
      RETRIED,
    ),
);

const INVALID_SIGNATURE = 'messages.1.content.0: Invalid `signature` in `thinking` block';
const isThoughtful = (body: unknown) => JSON.stringify(body).includes('"type":"thinking"');
const thought = calls(thinking(0, 'Let me look.'), call(1, 'list_files', {}));

const signatures: readonly WireCase[] = [
  {
    name: 'signature-refused',
    what: 'thinking and a call; then 400 for its signature while thinking is in the request',
    replies: ({ messages }, at) => {
      if (at === 0) return thought;
      return isThoughtful(messages) ? apiError(400, 'invalid_request_error', INVALID_SIGNATURE) : says(AFTER);
    },
    expect: { output: AFTER, requests: 3, calls: [{ tool: 'list_files' }] },
  },
  {
    name: 'signature-refused-for-ever',
    what: 'the same 400 without thinking, too',
    replies: (_, at) => (at === 0 ? thought : apiError(400, 'invalid_request_error', INVALID_SIGNATURE)),
    expect: { state: 'failed', requests: [2, 4], failure: /signature/ },
  },
  {
    name: 'signature-refused-later',
    what: 'two turns with thinking, and the 400 comes after the second',
    replies: ({ messages }, at) => {
      if (at === 0) return thought;
      if (at === 1) return calls(thinking(0, 'And more.'), call(1, 'list_files', { depth: 2 }, 'toolu_2'));
      return isThoughtful(messages)
        ? apiError(
            400,
            'invalid_request_error',
            'messages.3.content.0: Invalid `signature` in `thinking` block',
          )
        : says(AFTER);
    },
    expect: { output: AFTER, requests: 4 },
  },
];

export const statuses: readonly WireCase[] = [
  ...signatures,
  ...ofOneRequest,
  ...worthAnotherTry,
  ...notAgain,
  ...oddAdvice,
  ...wordsAbout,
  ...oddWaits,
  ...ofTheKey,
];
