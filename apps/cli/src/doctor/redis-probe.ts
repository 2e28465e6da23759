/** Asks a Redis or Valkey server three questions, without a client library: only the queue's library may use one. */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface RedisFacts {
  readonly version: string;
  /** Null when the server does not let us ask, as hosted ones may not. */
  readonly maxmemoryPolicy: string | null;
  /** What it says to a write when it takes none: its memory or disk is full, or it is a replica. */
  readonly refusesWrites: string | null;
}

const TIMEOUT_MS = 5_000;

/** Connects, authenticates as the URL says, asks and leaves. Throws when the server cannot be reached or refuses. */
export async function probeRedis(url: string): Promise<RedisFacts> {
  const target = new URL(url);
  const commands: string[][] = [];
  const password = decodeURIComponent(target.password);
  const user = decodeURIComponent(target.username);
  if (password !== '') commands.push(user === '' ? ['AUTH', password] : ['AUTH', user, password]);
  commands.push(['INFO', 'server'], ['CONFIG', 'GET', 'maxmemory-policy']);
  commands.push(['SET', 'bullpen:write-probe', '1', 'PX', '1000'], ['QUIT']);
  const text = await exchange(open(target), commands);
  const version = /(?:redis_version|valkey_version):([\d.]+)/.exec(text)?.[1];
  const refusal = /^-(?:NOAUTH|WRONGPASS|ERR AUTH|DENIED)[^\r\n]*/m.exec(text)?.[0];
  if (version === undefined) throw new Error(refusal?.slice(1) ?? 'it answers, but not like Redis');
  return {
    version,
    maxmemoryPolicy: /maxmemory-policy\r\n\$\d+\r\n([a-z-]+)/.exec(text)?.[1] ?? null,
    refusesWrites:
      /^-((?:OOM|READONLY|MISCONF|NOREPLICAS|CLUSTERDOWN|LOADING)[^\r\n]*)/m.exec(text)?.[1] ?? null,
  };
}

function open(target: URL): Socket {
  const address = { host: target.hostname.replace(/^\[|\]$/g, ''), port: Number(target.port || 6379) };
  return target.protocol === 'rediss:'
    ? connectTls({ ...address, servername: target.hostname })
    : connectTcp(address);
}

/** Sends everything at once; QUIT makes the server close, which ends the answer. */
function exchange(socket: Socket, commands: readonly string[][]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setTimeout(TIMEOUT_MS, () =>
      socket.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)),
    );
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => (text += part));
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
    socket.write(commands.map(encode).join(''));
  });
}

function encode(command: readonly string[]): string {
  return `*${command.length}\r\n${command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`;
}
