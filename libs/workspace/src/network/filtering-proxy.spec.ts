import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { connect as tlsConnect, createServer as createTlsServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HostRules } from '@bullpen/contracts';
import fc from 'fast-check';
import type { Lookup } from '@bullpen/platform';
import type { NetworkReport } from './filtering-proxy.js';
import { hostGate, type OpenedHosts } from './host-gate.js';

/** What names lead to; only 127.0.0.1 is allowed although it is private. */
const NAMES: Record<string, string[]> = {
  'open.test': ['127.0.0.1'],
  'also.test': ['127.0.0.1'],
  'private.test': ['10.0.0.5'],
  'mapped.test': ['::ffff:127.0.0.2'],
  'metadata.test': ['169.254.169.254'],
  'zero.test': ['0.0.0.0'],
  'nat64.test': ['64:ff9b::a00:5'],
  'mixed.test': ['127.0.0.1', '192.168.1.1'],
};
const lookup: Lookup = async (host) => {
  const found = NAMES[host];
  if (!found) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

let servers: Server[];
let reports: NetworkReport[];
let proxy: OpenedHosts;
let seen: string[];
let port: number;

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function openProxy(rules: { allow: string[]; deny?: string[] }): Promise<OpenedHosts> {
  const gate = hostGate({
    addresses: { allowed: ['127.0.0.1/32'], lookup },
    report: (report) => reports.push(report),
  });
  return gate.open(HostRules.parse(rules), null);
}

beforeEach(async () => {
  [servers, reports, seen] = [[], [], []];
  const upstream = createHttpServer((request, response) => {
    const answer = (body: string): void => {
      seen.push(`${request.method} ${request.headers.host}${request.url} ${body}`);
      response.setHeader('x-hop', String(request.headers['x-hop'] ?? 'none'));
      response.end(`hello from ${request.headers.host?.split(':')[0]}`);
    };
    // A request that is cut off gets no answer.
    text(request).then(answer, () => response.destroy());
  });
  port = await listening(upstream);
  const names = ['open', 'private', 'mapped', 'metadata', 'zero', 'nat64', 'mixed', 'nowhere'];
  proxy = await openProxy({
    allow: [...names.map((name) => `${name}.test:${port}`), `*.open.test:${port}`],
    deny: ['bad.open.test'],
  });
});

afterEach(() => {
  proxy.close();
  for (const server of servers) server.close();
});

/** Everything that the proxy answers to these bytes. */
async function raw(bytes: string, socketPath = proxy.socketPath): Promise<string> {
  const socket = connect(socketPath);
  socket.on('error', () => undefined);
  socket.write(bytes);
  return text(socket);
}

const get = (target: string, host: string) =>
  raw(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);

describe('a plain request', () => {
  it('reaches an opened host, with its body, and comes back', async () => {
    const body = 'x'.repeat(100_000);
    const answer = await new Promise<string>((resolve, reject) => {
      const request = httpRequest({
        socketPath: proxy.socketPath,
        method: 'POST',
        path: `http://Open.test:${port}/a?b=1`,
        headers: { host: `OPEN.test:${port}`, connection: 'x-hop, close', 'x-hop': '1' },
      });
      request.on('response', (response) => {
        expect([response.statusCode, response.headers['x-hop']]).toEqual([200, 'none']);
        text(response).then(resolve, reject);
      });
      request.on('error', reject).end(body);
    });
    expect(answer).toBe('hello from open.test');
    expect(seen).toEqual([`POST open.test:${port}/a?b=1 ${body}`]);
    await until(() => reports.length === 2);
    expect(reports).toMatchObject([
      { kind: 'opened', target: `open.test:${port}` },
      { kind: 'ended', target: `open.test:${port}`, sentBytes: expect.any(Number) },
    ]);
    expect(reports[1]).toHaveProperty('receivedBytes', expect.any(Number));
    expect((reports[1] as { sentBytes: number }).sentBytes).toBeGreaterThan(100_000);
  });

  it('goes through with a dot behind the name, which means the same host', async () => {
    expect(await get(`http://open.test.:${port}/`, `open.test.:${port}`)).toContain('hello from open.test');
    expect(seen[0]).toBe(`GET open.test:${port}/ `);
  });

  it.each([
    [
      'a host that is not opened',
      'also.test',
      /403 .*[^]*also.test:\d+ is not opened.*bullpen policy allow also.test:\d+/,
    ],
    ['the same with a dot', 'also.test.', /403 .*[^]*also.test:\d+ is not opened/],
    [
      'a host that is denied',
      'bad.open.test',
      /403 .*[^]*bad.open.test:\d+ is not opened by the policy, which denies it/,
    ],
    ['a private address', 'private.test', /403 .*[^]*10.0.0.5 is not a public address/],
    ['a mapped address', 'mapped.test', /403 .*[^]*not a public address/],
    ['a metadata service', 'metadata.test', /403 .*[^]*not a public address/],
    ['the zero address', 'zero.test', /403 .*[^]*not a public address/],
    ['an address behind NAT64', 'nat64.test', /403 .*[^]*not a public address/],
    ['a name with one private address', 'mixed.test', /403 .*[^]*192.168.1.1 is not a public address/],
    ['an address', '127.0.0.1', /403 .*[^]*addresses cannot be opened/],
    ['a number', '2130706433', /403 .*[^]*addresses cannot be opened/],
    ['a short address', '127.1', /403 .*[^]*addresses cannot be opened/],
    ['an address in base 16', '0x7f.0.0.1', /403 .*[^]*addresses cannot be opened/],
    ['an address in base 8', '0177.0.0.01', /403 .*[^]*addresses cannot be opened/],
    ['a name that ends in base 16', 'open.test.0x1', /403 .*[^]*addresses cannot be opened/],
    ['an IPv6 address', '[::1]', /403 .*[^]*is not a name with a port/],
    ['a mapped IPv6 address', '[::ffff:127.0.0.1]', /403 .*[^]*is not a name with a port/],
    ['a user', 'open.test@also.test', /403 .*[^]*is not a name with a port/],
    ['percent signs', 'open%2etest', /403 .*[^]*is not a name with a port/],
    ['wide digits', '１２７.0.0.1', /40[03] /],
    ['an underscore', 'a_b.open.test', /403 .*[^]*is not a name with a port/],
    ['two dots at the end', 'open.test..', /403 .*[^]*must be the name of a host/],
    ['a single word', 'localhost', /403 .*[^]*a name needs a dot/],
    ['a name that does not resolve', 'nowhere.test', /502 .*[^]*nowhere.test could not be resolved/],
  ])('is refused for %s, which the answer names, and alike in a tunnel', async (_, host, expected) => {
    const target = `${host}:${port}`;
    expect(await get(`http://${target}/`, target)).toMatch(expected);
    expect(await raw(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)).toMatch(expected);
    expect(seen).toEqual([]);
  });

  it.each([
    ['names another host in its header', (at: string) => get(`http://open.test${at}/`, `also.test${at}`)],
    ['names another port in its header', (at: string) => get(`http://open.test${at}/`, 'open.test')],
    [
      'has two headers for the host',
      (at: string) => get(`http://open.test${at}/`, `open.test${at}\r\nHost: also.test${at}`),
    ],
    ['is for https', (at: string) => get(`https://open.test${at}/`, `open.test${at}`)],
    ['names no host', (at: string) => get('/', `open.test${at}`)],
    [
      'has a backslash in its host',
      (at: string) => get(`http://open.test${at}\\@also.test/`, `open.test${at}`),
    ],
  ])('is refused when it %s', async (_, send) => {
    expect(await send(`:${port}`)).toMatch(/^HTTP\/1.1 40[03] /);
    expect([seen, reports.filter(({ kind }) => kind !== 'refused')]).toEqual([[], []]);
  });

  it('is judged for itself when it is not the first on its connection', async () => {
    const one = (host: string) => `GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`;
    const answers = await raw(one('open.test') + one('also.test') + one('open.test'));
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
    const tunnel = await raw(
      `${one('open.test')}CONNECT also.test:${port} HTTP/1.1\r\nHost: also.test:${port}\r\n\r\n`,
    );
    expect(tunnel).toContain('HTTP/1.1 403');
    expect(seen.filter((line) => line.includes('also'))).toEqual([]);
  });

  it.each([
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['a header that is too long', `GET http://open.test/ HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    [
      'two lengths',
      'POST http://open.test/ HTTP/1.1\r\nHost: open.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
  ])('that is %s ends its connection only', async (_, bytes) => {
    expect(await raw(bytes)).toMatch(/^HTTP\/1.1 400 /);
    expect(await get(`http://open.test:${port}/`, `open.test:${port}`)).toContain('hello');
  });

  it('gets a 502 when the host breaks off, answers nonsense or takes no connections', async () => {
    const endings = [
      '',
      'nonsense\r\n\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ];
    const ports = await Promise.all(
      endings.map((ending) =>
        listening(createServer((socket) => socket.once('data', () => socket.end(ending)))),
      ),
    );
    const closed = createServer();
    ports.push(await listening(closed));
    await new Promise((resolve) => closed.close(resolve));
    for (const at of ports) {
      const other = await openProxy({ allow: [`open.test:${at}`] });
      const host = `open.test:${at}`;
      expect(await raw(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`, other.socketPath)).toMatch(
        / 502 /,
      );
      other.close();
    }
  });
});

it('outlives whatever bytes it is sent, in pieces, cut off and all', async () => {
  const host = `open.test:${port}`;
  const whole = `POST http://${host}/a HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nCONNECT ${host} HTTP/1.1\r\n\r\n\x16\x03\x01`;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(whole.length),
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.boolean(),
      async (at, put, cut) => {
        const bytes = Buffer.from(
          whole.slice(0, at) + put + (cut ? '' : whole.slice(at + put.length)),
          'latin1',
        );
        const socket = connect(proxy.socketPath).on('error', () => undefined);
        socket.write(bytes.subarray(0, at));
        await new Promise((resolve) => setTimeout(resolve, 2));
        socket.end(bytes.subarray(at));
        await new Promise((resolve) => setTimeout(resolve, 5));
        socket.destroy();
      },
    ),
    { numRuns: 300 },
  );
  expect(await get(`http://${host}/`, host)).toContain('hello');
});

describe('a tunnel', () => {
  const PSK = { ciphers: 'PSK', maxVersion: 'TLSv1.2' as const };
  const key = { psk: Buffer.alloc(16, 1), identity: 'x' };
  let tlsPort: number;

  beforeEach(async () => {
    const server = createTlsServer({ ...PSK, pskCallback: () => key.psk }, (socket) =>
      socket.end('secret hello'),
    );
    server.on('tlsClientError', () => undefined);
    tlsPort = await listening(server);
    proxy.close();
    proxy = await openProxy({ allow: [`open.test:${tlsPort}`, `open.test:${port}`] });
  });

  /** What comes through the tunnel to `target` with a handshake that names `servername`. */
  async function through(target: string, servername: string | undefined): Promise<string> {
    const socket = await tunnelTo(target);
    return new Promise((resolve) => {
      const inner = tlsConnect({
        ...PSK,
        socket,
        ...(servername !== undefined && { servername }),
        pskCallback: () => key,
        checkServerIdentity: () => undefined,
      });
      inner.on('error', (error) => resolve(error.message));
      inner.on('data', (data: Buffer) => resolve(String(data)));
    });
  }

  async function tunnelTo(target: string): Promise<Socket> {
    const socket = connect(proxy.socketPath);
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
    return socket;
  }

  it('carries TLS to the host that it names, in whatever case, and counts its bytes', async () => {
    expect(await through(`open.test:${tlsPort}`, 'open.test')).toBe('secret hello');
    expect(await through(`open.test.:${tlsPort}`, 'OPEN.test')).toBe('secret hello');
    await until(() => reports.filter(({ kind }) => kind === 'ended').length === 2);
    expect(reports.at(-1)).toMatchObject({ kind: 'ended', target: `open.test:${tlsPort}` });
  });

  it.each([['also.test'], ['open.test.'], ['a.open.test'], [undefined]])(
    'is ended, with an alert that clients can show, when the handshake names %j',
    async (servername) => {
      expect(await through(`open.test:${tlsPort}`, servername)).toMatch(/unrecognized name/);
      expect(reports.at(-1)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('handshake') });
    },
  );

  it.each([
    ['a plain request', 'GET / HTTP/1.1\r\nHost: also.test\r\n\r\n'],
    ['another CONNECT', 'CONNECT also.test:443 HTTP/1.1\r\nHost: also.test:443\r\n\r\n'],
    ['SSH', 'SSH-2.0-x\r\n'],
  ])('does not carry %s', async (_, bytes) => {
    const socket = await tunnelTo(`open.test:${port}`);
    socket.on('error', () => undefined).write(bytes);
    await new Promise((resolve) => socket.once('close', resolve).resume());
    expect(seen).toEqual([]);
    expect(reports.at(-1)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('TLS') });
  });

  it('is refused when the header for the host names another one', async () => {
    const answer = await raw(`CONNECT open.test:${tlsPort} HTTP/1.1\r\nHost: also.test:${tlsPort}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 403 Bullpen: the Host header "also.test:\d+" is not open.test:\d+/);
  });
});

describe('the socket', () => {
  it('has a short path, lets in its owner alone, and is gone with its tunnels when the command ends', async () => {
    expect(Buffer.byteLength(proxy.socketPath)).toBeLessThan(60);
    expect((await stat(proxy.socketPath)).mode & 0o777).toBe(0o600);
    const idle = connect(proxy.socketPath);
    await new Promise((resolve) => idle.once('connect', resolve));
    const closed = new Promise((resolve) => idle.once('close', resolve));
    proxy.close();
    await closed;
    await expect(stat(proxy.socketPath)).rejects.toThrow('ENOENT');
  });
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
