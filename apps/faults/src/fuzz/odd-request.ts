/** One request of the fuzz: an operation of the API with something odd in its path, query, headers, body or framing. */
import type { Random } from '../sweep/random.js';
import type { Ground } from './ground.js';
import { oddBody } from './odd-body.js';
import { frame, type Framed, type Parts } from './odd-framing.js';
import type { Operation } from './operations.js';

export interface OddRequest extends Framed {
  /** `POST /v1/tasks` */
  readonly operation: string;
  readonly isHead: boolean;
}

/** Path segments as they are written into the target. */
const SEGMENTS: readonly string[] = [
  ...[
    '%00',
    'a%00b',
    'task_%00',
    '%2F',
    '%2e%2e%2f',
    '..',
    '.',
    '%',
    '%zz',
    '%c0%80',
    '%ed%a0%80',
    '%ff',
    '%F0%9F%98%80',
  ],
  ...[
    '%E2%80%AE',
    '%20',
    '%0d%0aX:1',
    '%25%30%30',
    ';a=1',
    '*',
    '__proto__',
    'constructor',
    '0',
    '-1',
    '1e999',
    'null',
  ],
  ...[
    'task_00000000000000000000000000',
    'ask_zzzzzzzzzzzzzzzzzzzzzzzzzz',
    'TASK_01KB3V8R9HG43ZJ6VCJ3WA678J',
    "'or'1'='1",
  ],
  ...[
    'x'.repeat(101),
    'x'.repeat(4_096),
    '%00'.repeat(1_000),
    '%F0%9F%98%80'.repeat(300),
    'default',
    'installation',
  ],
];

/** Values of query parameters as they are written into the target. */
const QUERY_VALUES: readonly string[] = [
  ...SEGMENTS,
  ...[
    '',
    '0',
    '1',
    '200',
    '201',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '%2B1',
    'NaN',
    '99999999999999999999',
    '9999999999-1',
    '1-2',
  ],
  ...[
    '9223372036854775807-9223372036854775807',
    '9223372036854775808-1',
    '0-0',
    'true',
    'false',
    'TRUE',
    '%5B%5D',
    '%7B%7D',
  ],
  ...[
    'queued,running',
    'queued,,',
    'pending',
    'task',
    'ask',
    'day',
    '2026-11-28T00:00:00Z',
    '0000-01-01T00:00:00Z',
  ],
  ...[
    '9999-12-31T23:59:59Z',
    '2026-02-30T00:00:00Z',
    '%25',
    '_',
    '%5C',
    'a'.repeat(200),
    'a'.repeat(201),
    '%E2%80%8B',
  ],
];
const QUERY_NAMES = [
  '__proto__',
  'constructor',
  'limit[]',
  'limit[a][b]',
  '',
  'a%00',
  'x'.repeat(500),
  '%zz',
  'limit',
  'after',
];

const HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  [
    'Idempotency-Key',
    [
      '',
      ' ',
      'a b',
      '\x7f',
      'é',
      '\x80\xff',
      'k'.repeat(200),
      'k'.repeat(201),
      'k'.repeat(9_000),
      '\u0000',
      '"q"',
    ],
  ],
  [
    'Last-Event-ID',
    ['', '0', '1', '-1', '1-2', '9999999999', '9223372036854775808-1', 'é', 'x'.repeat(5_000), '1,2'],
  ],
  ['Accept', ['', '*/*', 'text/html', 'application/xml', 'a'.repeat(5_000), '\xff', 'text/event-stream']],
  [
    'Content-Type',
    [
      '',
      'text/plain',
      'application/json; charset=utf-16',
      'application/json;',
      'application/JSON',
      'x',
      '\xff',
      'application/json, text/plain',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      `application/json; ${'a'.repeat(4_000)}`,
      'application/problem+json',
    ],
  ],
  ['Content-Encoding', ['gzip', 'br', 'identity', 'deflate, gzip', 'nonsense', '\xff']],
  ['If-Match', ['*', '"1"', 'W/"x"', '\xff', '']],
  ['If-None-Match', ['*', '"1"']],
  ['X-Request-Id', ['<script>', '\xff', 'x'.repeat(5_000), 'ok-1']],
  [
    'Authorization',
    ['', 'Bearer', 'Bearer ', 'Basic eDp5', 'Bearer \xff', `Bearer ${'x'.repeat(5_000)}`, 'bearer bp_x'],
  ],
  ['Cookie', ['bullpen_session=x', 'bullpen_session=%00', '=;=;', 'a='.repeat(2_000), '\xff']],
  ['Origin', ['null', 'http://evil.example', 'http://127.0.0.1', 'http://', '\xff']],
  ['X-HTTP-Method-Override', ['DELETE']],
  ['Range', ['bytes=0-1', 'bytes=9-1,0-']],
  ['Expect', ['100-continue', '200-ok', '\xff']],
  ['Upgrade', ['websocket', 'h2c']],
  ['Forwarded', ['for="\x00"', 'host=evil.example']],
  ['Host', ['evil.example', '', '127.0.0.1', 'a b', '[::1', 'x'.repeat(5_000), '\xff']],
];
const METHODS = [
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'BREW',
  'get',
  'PATCH',
  'PUT',
  'DELETE',
  'POST',
  'GET',
  'PURGE',
  'QUERY',
  '',
];
const KEYS = 40;

/** The request of a number: the same seed and the same ground give the same bytes. */
export function oddRequest(random: Random, operations: readonly Operation[], ground: Ground): OddRequest {
  const operation = random.pick(operations);
  const method = random.chance(0.04) ? random.pick(METHODS) : operation.method;
  const parts: Parts = {
    method,
    target: targetOf(random, operation, ground),
    headers: headersOf(random, operation, ground),
    body: bodyOf(random, operation, ground),
  };
  return { ...frame(random, parts), operation: `${method} ${operation.path}`, isHead: method === 'HEAD' };
}

function bodyOf(random: Random, { bodies }: Operation, ground: Ground): Buffer | null {
  if (bodies.length === 0) return random.chance(0.1) ? Buffer.from('{}') : null;
  return oddBody(random, ground.fill(random, random.pick(bodies)));
}

function targetOf(random: Random, { path, query }: Operation, ground: Ground): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    random.chance(0.25) ? random.pick(SEGMENTS) : ground.idFor(random, path, name),
  );
  const asked = random.chance(query.length > 0 ? 0.6 : 0.1) ? queryOf(random, query, ground) : '';
  return random.weighted([
    [60, filled + asked],
    [1, `${filled}/`],
    [1, `/${filled}`],
    [1, `${filled}/../..`],
    [1, `${filled}#x`],
    [1, `${filled}/${random.pick(SEGMENTS)}`],
  ]);
}

function queryOf(random: Random, names: readonly string[], ground: Ground): string {
  if (random.chance(0.02)) return `?${Array.from({ length: 2_000 }, (_, at) => `a${at}=1`).join('&')}`;
  const pairs = Array.from({ length: random.between(1, 3) }, () => {
    const name = names.length === 0 || random.chance(0.1) ? random.pick(QUERY_NAMES) : random.pick(names);
    const value = name === 'after' && random.chance(0.7) ? ground.cursor(random) : random.pick(QUERY_VALUES);
    return random.weighted([
      [20, `${name}=${value}`],
      [1, name],
      [1, `${name}=${value}&${name}=${value}`],
      [1, `${name}[]=${value}`],
    ]);
  });
  return `?${pairs.join('&')}`;
}

function headersOf(random: Random, { bodies }: Operation, { port, apiKey }: Ground): [string, string][] {
  const headers: [string, string][] = [
    ['Host', `127.0.0.1:${port}`],
    ['Authorization', `Bearer ${apiKey}`],
  ];
  if (bodies.length > 0) headers.push(['Content-Type', 'application/json']);
  // Few keys for many requests, so that they are used again, with other bodies and on other routes.
  if (random.chance(0.4))
    headers.push(['Idempotency-Key', `k${random.between(1, KEYS)}-${random.between(1, KEYS)}`]);
  const odd = random.weighted([
    [12, 0],
    [5, 1],
    [2, 2],
  ]);
  for (let at = 0; at < odd; at += 1) {
    const [name, values] = random.pick(HEADERS);
    const known = headers.find(([other]) => other === name);
    const value = random.pick(values);
    if (known && random.chance(0.8)) known[1] = value;
    else headers.push([name, value]);
  }
  if (random.chance(0.005)) for (let at = 0; at < 1_500; at += 1) headers.push([`X-${at}`, '1']);
  return headers;
}
