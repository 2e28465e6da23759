/** The way to the provider: through a proxy, and past it. Each case puts a worker of its own in place, so they come last. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { ForwardProxy } from '../forward-proxy.js';
import { judgeCase } from '../judge-case.js';
import { play } from '../play.js';
import { says } from '../reply.js';
import type { Probe, Skipped, WireCase } from '../wire-case.js';
import { WireServer } from '../wire-server.js';
import type { WireStack } from '../wire-stack.js';

const WORDS = 'Said from afar.';
/** A name that no resolver knows. */
const HOST = 'models.bullpen.test';
/** The address of this machine among others: what is on it is not reached past a proxy by itself. */
const OWN_ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

/** A way to the model; `env` may name the ports. */
interface Way {
  readonly name: string;
  readonly what: string;
  readonly scheme: 'http' | 'https';
  readonly env: (ports: {
    readonly proxy: number;
    readonly server: number;
  }) => Readonly<Record<string, string>>;
  /** Undefined where this machine has none. @defaultValue the name that no resolver knows */
  readonly host?: string | undefined;
  /** Whether the proxy is to be asked. @defaultValue true */
  readonly proxied?: boolean;
  readonly authorization?: string;
}

const at = (port: number) => `http://127.0.0.1:${port}`;

const WAYS: readonly Way[] = [
  {
    name: 'https',
    what: 'HTTPS_PROXY, the host reachable through it alone',
    scheme: 'https',
    env: ({ proxy }) => ({ HTTPS_PROXY: at(proxy) }),
  },
  {
    name: 'lower-case',
    what: 'https_proxy in lower case',
    scheme: 'https',
    env: ({ proxy }) => ({ https_proxy: at(proxy) }),
  },
  {
    name: 'http',
    what: 'HTTP_PROXY and an address without TLS',
    scheme: 'http',
    env: ({ proxy }) => ({ HTTP_PROXY: at(proxy) }),
  },
  {
    name: 'credentials',
    what: 'a proxy with a name and a password',
    scheme: 'https',
    env: ({ proxy }) => ({ HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${proxy}` }),
    authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
  },
  {
    name: 'past-it',
    what: 'HTTPS_PROXY, and a host of NO_PROXY',
    scheme: 'https',
    host: OWN_ADDRESS,
    env: ({ proxy }) => ({ HTTPS_PROXY: at(proxy), NO_PROXY: `example.com,${OWN_ADDRESS}` }),
    proxied: false,
  },
  {
    name: 'past-it-all',
    what: 'HTTPS_PROXY and NO_PROXY=*',
    scheme: 'https',
    host: OWN_ADDRESS,
    env: ({ proxy }) => ({ HTTPS_PROXY: at(proxy), NO_PROXY: '*' }),
    proxied: false,
  },
  {
    name: 'not-past-it',
    what: 'HTTPS_PROXY, and NO_PROXY with other hosts',
    scheme: 'https',
    env: ({ proxy }) => ({ HTTPS_PROXY: at(proxy), NO_PROXY: 'example.com,.bullpen.example,bullpen' }),
  },
  {
    name: 'loopback',
    what: 'HTTPS_PROXY, and a server on this machine',
    scheme: 'https',
    host: '127.0.0.1',
    env: ({ proxy }) => ({ HTTPS_PROXY: at(proxy) }),
    proxied: false,
  },
];

async function throughProxy(stack: WireStack, way: Way): Promise<readonly string[] | Skipped> {
  const certificate = certificateIn(stack.folder);
  if (certificate === null) return { skipped: 'there is no openssl' };
  const { proxied = true, authorization = null, host } = { host: HOST, ...way };
  if (host === undefined) return { skipped: 'this machine has no address but its own' };
  const server = await WireServer.start(
    way.scheme === 'https' ? (listener) => createTlsServer(certificate, listener) : undefined,
    host === OWN_ADDRESS ? host : undefined,
  );
  const proxy = await ForwardProxy.start(server.port);
  try {
    await stack.replaceWorker({
      ...way.env({ proxy: proxy.port, server: server.port }),
      ANTHROPIC_BASE_URL: `${way.scheme}://${host}:${server.port}`,
      NODE_EXTRA_CA_CERTS: certificate.file,
    });
    const one: WireCase = {
      name: `proxy-${way.name}`,
      what: way.what,
      replies: [says(WORDS)],
      expect: { output: WORDS, requests: 1 },
    };
    const found = [...judgeCase(await play({ ...stack.stage, server }, one), one.expect)];
    const asked = proxy.asked.length > 0;
    if (asked !== proxied)
      found.push(asked ? `the proxy was asked for ${proxy.asked.join(', ')}` : 'the proxy was not asked');
    if (asked && proxy.asked.some((name) => name !== `${host}:${server.port}`))
      found.push(`the proxy was asked for ${proxy.asked.join(', ')}`);
    if (asked && proxy.authorization !== authorization)
      found.push(`the proxy was given ${proxy.authorization}, not ${authorization}`);
    return found;
  } finally {
    await Promise.all([proxy.stop(), server.close()]);
  }
}

/** A certificate of this run, for the made-up host and for the machine itself; null where there is no openssl. */
function certificateIn(folder: string): { key: string; cert: string; file: string } | null {
  const [keyFile, file] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  const names = `subjectAltName=DNS:${HOST},IP:127.0.0.1,IP:${OWN_ADDRESS ?? '::1'}`;
  const asked = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ];
  try {
    execFileSync(
      'openssl',
      [...asked, '-subj', `/CN=${HOST}`, '-addext', names, '-keyout', keyFile, '-out', file],
      { stdio: 'pipe' },
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(file, 'utf8'), file };
}

export const network: readonly Probe[] = WAYS.map((way) => ({
  name: `proxy-${way.name}`,
  what: way.what,
  probe: (stack) => throughProxy(stack, way),
}));
