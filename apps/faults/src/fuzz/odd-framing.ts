/** How a request is put on the wire: properly, or with lengths, chunks, lines and versions that do not fit. */
import type { Random } from '../sweep/random.js';

export interface Parts {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | null;
}

export interface Framed {
  readonly bytes: Buffer;
  /** It ends too early: our half of the connection is closed after it. */
  readonly halfClose: boolean;
  /** No request that a server has to answer: it may close the connection instead. */
  readonly isBroken: boolean;
  /** What was done to it. */
  readonly framing: string;
}

type Framing = (parts: Parts, random: Random) => Omit<Framed, 'framing'>;

const proper: Framing = (parts) => whole(parts, lengthOf(parts), parts.body ?? Buffer.alloc(0));

const FRAMINGS: readonly (readonly [weight: number, name: string, framing: Framing])[] = [
  [150, 'proper', proper],
  [6, 'chunked', (parts, random) => whole(parts, CHUNKED, chunks(parts.body, random.between(1, 4_096)))],
  [
    2,
    'chunk size',
    (parts, random) =>
      broken(
        parts,
        CHUNKED,
        Buffer.from(`${random.pick(['zz', '-1', 'ffffffffffffffff1', '5;ext="', ''])}\r\nhello\r\n0\r\n\r\n`),
      ),
  ],
  [
    1,
    'chunk extension',
    (parts) =>
      whole(
        parts,
        CHUNKED,
        Buffer.concat([Buffer.from(`2;a=${'b'.repeat(2_000)}\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\n`)]),
      ),
  ],
  [2, 'no last chunk', (parts) => broken(parts, CHUNKED, chunks(parts.body, 512).subarray(0, -5))],
  [
    3,
    'length too long',
    (parts, random) =>
      broken(
        parts,
        [['Content-Length', String((parts.body?.length ?? 0) + random.between(1, 900_000))]],
        parts.body,
      ),
  ],
  [
    2,
    'length too short',
    (parts) =>
      broken(parts, [['Content-Length', String(Math.floor((parts.body?.length ?? 0) / 2))]], parts.body),
  ],
  [
    2,
    'odd length',
    (parts, random) =>
      broken(
        parts,
        [['Content-Length', random.pick(['-1', '1e3', '0x10', '9'.repeat(30), 'abc', '', '+5', '5, 5'])]],
        parts.body,
      ),
  ],
  [1, 'huge length', (parts) => broken(parts, [['Content-Length', '99999999999']], parts.body)],
  [1, 'two lengths', (parts) => broken(parts, [...lengthOf(parts), ['Content-Length', '3']], parts.body)],
  [
    1,
    'length and chunks',
    (parts) => broken(parts, [...lengthOf(parts), ...CHUNKED], chunks(parts.body, 64)),
  ],
  [
    1,
    'odd encoding',
    (parts, random) =>
      broken(
        parts,
        [['Transfer-Encoding', random.pick(['gzip', 'chunked, identity', 'xchunked', 'chunked\x0b'])]],
        chunks(parts.body, 64),
      ),
  ],
  [2, 'cut in its head', (parts, random) => cut(proper(parts, random), random, 0, 200)],
  [2, 'cut in its body', (parts, random) => cut(proper(parts, random), random, 200, 5_000)],
  [2, 'pipelined', pipelined],
  [
    1,
    'pipelined nonsense',
    (parts, random) => ({
      ...proper(parts, random),
      isBroken: true,
      bytes: Buffer.concat([keepAlive(parts, random), Buffer.from('\0\x01garbage\r\n\r\n')]),
    }),
  ],
  [
    2,
    'odd version',
    (parts, random) =>
      startLine(
        parts,
        random,
        `${parts.method} ${parts.target} HTTP/${random.pick(['0.9', '1.0', '2.0', '9.9', '1.10', 'x'])}`,
      ),
  ],
  [1, 'no version', (parts, random) => startLine(parts, random, `${parts.method} ${parts.target}`)],
  [
    1,
    'absolute target',
    (parts, random) => startLine(parts, random, `${parts.method} http://127.0.0.1${parts.target} HTTP/1.1`),
  ],
  [
    1,
    'odd target',
    (parts, random) =>
      startLine(
        parts,
        random,
        `${parts.method} ${random.pick(['*', '', 'x', '//', '/ /', '/\x00', '/\xff', '/?', '\\', 'http://'])} HTTP/1.1`,
      ),
  ],
  [
    1,
    'no host',
    (parts, random) =>
      proper({ ...parts, headers: parts.headers.filter(([name]) => name !== 'Host') }, random),
  ],
  [1, 'folded header', (parts, random) => brokenHead(parts, random, 'X-Folded: a\r\n b')],
  [1, 'header without colon', (parts, random) => brokenHead(parts, random, 'nonsense')],
  [
    1,
    'header with control characters',
    (parts, random) =>
      brokenHead(parts, random, `X-Odd: ${random.pick(['\x00', '\x01', '\r', '\n', '\x7f'])}`),
  ],
  [1, 'header without end', (parts, random) => brokenHead(parts, random, `X-Long: ${'x'.repeat(70_000)}`)],
  [
    1,
    'bare line feeds',
    (parts, random) => ({
      ...proper(parts, random),
      isBroken: true,
      halfClose: true,
      bytes: Buffer.from(proper(parts, random).bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    }),
  ],
  [
    1,
    'no HTTP',
    (_parts, random) => ({
      bytes: Buffer.from(
        random.pick([
          '\x16\x03\x01\x02\x00\x01\x00',
          'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
          '\r\n\r\n',
          '\0\0\0\0',
          'SSH-2.0-x\r\n',
        ]),
        'latin1',
      ),
      halfClose: true,
      isBroken: true,
    }),
  ],
];

/** The default of BODY_LIMIT_BYTES. */
const BODY_LIMIT = 1_048_576;
const CHUNKED = [['Transfer-Encoding', 'chunked']] as const;
type Headers = Parts['headers'];

/** The bytes of a request, mostly as they should be. */
export function frame(random: Random, parts: Parts): Framed {
  const [, framing, make] = random.weighted(FRAMINGS.map((one) => [one[0], one] as const));
  const framed = make(parts, random);
  return { ...framed, isBroken: framed.isBroken || hasOddHead(parts) || isTooLarge(parts), framing };
}

/** It is refused before it is read to its end, and then the answer can be lost in the reset of the connection. */
function isTooLarge({ body }: Parts): boolean {
  return (body?.length ?? 0) > BODY_LIMIT;
}

/** What the parser of HTTP may refuse before anybody has seen a request. */
function hasOddHead({ method, target, headers }: Parts): boolean {
  const isOdd = (text: string) => /[^\P{Cc}\t]/u.test(text);
  return (
    !/^(?:GET|HEAD|OPTIONS|PATCH|PUT|DELETE|POST)$/.test(method) ||
    isOdd(target) ||
    headers.some(([, value]) => isOdd(value))
  );
}

function whole(parts: Parts, more: Headers, body: Buffer): Omit<Framed, 'framing'> {
  return { bytes: Buffer.concat([head(parts, more, true), body]), halfClose: false, isBroken: false };
}

function broken(parts: Parts, more: Headers, body: Buffer | null): Omit<Framed, 'framing'> {
  return {
    bytes: Buffer.concat([head(parts, more, true), body ?? Buffer.alloc(0)]),
    halfClose: true,
    isBroken: true,
  };
}

function cut(
  framed: Omit<Framed, 'framing'>,
  random: Random,
  from: number,
  to: number,
): Omit<Framed, 'framing'> {
  return { bytes: framed.bytes.subarray(0, random.between(from, to)), halfClose: true, isBroken: true };
}

function startLine(parts: Parts, random: Random, line: string): Omit<Framed, 'framing'> {
  const { bytes } = proper(parts, random);
  const rest = bytes.subarray(bytes.indexOf('\r\n'));
  return { bytes: Buffer.concat([Buffer.from(line, 'latin1'), rest]), halfClose: true, isBroken: true };
}

function brokenHead(parts: Parts, random: Random, line: string): Omit<Framed, 'framing'> {
  const { bytes } = proper(parts, random);
  const at = bytes.indexOf('\r\n') + 2;
  return {
    bytes: Buffer.concat([bytes.subarray(0, at), Buffer.from(`${line}\r\n`, 'latin1'), bytes.subarray(at)]),
    halfClose: true,
    isBroken: true,
  };
}

/** Two in one go; the first one leaves the connection open. */
function pipelined(parts: Parts, random: Random): Omit<Framed, 'framing'> {
  return {
    ...proper(parts, random),
    bytes: Buffer.concat([keepAlive(parts, random), proper(parts, random).bytes]),
  };
}

function keepAlive(parts: Parts, _random: Random): Buffer {
  return Buffer.concat([head(parts, lengthOf(parts), false), parts.body ?? Buffer.alloc(0)]);
}

function head({ method, target, headers }: Parts, more: Headers, close: boolean): Buffer {
  const lines = [...headers, ...more, ['Connection', close ? 'close' : 'keep-alive'] as const].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
}

function lengthOf({ body }: Parts): [string, string][] {
  return body === null ? [] : [['Content-Length', String(body.length)]];
}

function chunks(body: Buffer | null, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < (body?.length ?? 0); at += size) {
    const part = body?.subarray(at, at + size) ?? Buffer.alloc(0);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
