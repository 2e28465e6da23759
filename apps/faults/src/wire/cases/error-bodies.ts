/** Error answers whose body is not the documented one. */
import { refuses } from '../reply.js';
import { AFTER, type WireCase } from '../wire-case.js';

/** Bodies that are no documented error. */
const BODIES: readonly (readonly [name: string, body: unknown])[] = [
  ['error-text', { error: 'nope' }],
  ['message-only', { message: 'nope' }],
  ['error-null', { type: 'error', error: null }],
  ['error-missing', { type: 'error' }],
  ['message-number', { type: 'error', error: { type: 'api_error', message: 7 } }],
  ['message-null', { type: 'error', error: { type: null, message: null } }],
  ['message-object', { type: 'error', error: { type: 'api_error', message: { text: 'nope' } } }],
  ['type-number', { type: 'error', error: { type: 7, message: 'nope' } }],
  ['code-number', { type: 'error', error: { type: 'api_error', message: 'nope', code: 7, details: 'none' } }],
  [
    'nested-json',
    { error: { message: JSON.stringify({ error: { message: 'inner' } }), code: 'x', param: null } },
  ],
  ['list', []],
  ['null', 'null'],
  ['number', '7'],
  ['string', '"nope"'],
  ['half-json', '{"type":"error","error":{"type":"api_'],
  ['lone-surrogate', '{"type":"error","error":{"type":"api_error","message":"half \\ud83d"}}'],
  ['nul', '{"type":"error","error":{"type":"api_error","message":"a \\u0000 byte"}}'],
  ['long', { type: 'error', error: { type: 'api_error', message: 'x'.repeat(200_000) } }],
];

export const errorBodies = BODIES.flatMap(([name, body]): WireCase[] =>
  ([400, 500] as const).map((status) => ({
    name: `status-${status}-body-${name}`,
    what: `${status} with the body ${JSON.stringify(body).slice(0, 60)}`,
    replies: [refuses(status, body)],
    // A 400 is the end of this task, a 500 is worth another try.
    expect:
      status === 400 ? { state: 'failed', cause: 'error', requests: 1 } : { output: AFTER, requests: 2 },
  })),
);
