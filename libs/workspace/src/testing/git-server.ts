/** A git server as others run them: repositories over HTTP, behind a password where one is set. For specs only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GitServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly host: string;
  /** Who may fetch, as `user:password`; empty: everybody. */
  readonly allowed: Set<string>;
  /** What was asked for, newest last. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** @param root the folder that holds the repositories */
export async function serveGit(root: string, onRequest: () => void = () => undefined): Promise<GitServer> {
  const allowed = new Set<string>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    onRequest();
    const given = Buffer.from(
      request.headers.authorization?.replace(/^Basic /, '') ?? '',
      'base64',
    ).toString();
    if (allowed.size === 0 || allowed.has(given)) return backend(root, request, response);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...{ url: `http://${host}`, host, allowed, requests }, close: () => closed(server) };
}

/** Git's own CGI program: headers, an empty line, content. */
function backend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://server');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: '/usr/bin:/bin',
      ...{ GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
      ...{ PATH_INFO: decodeURI(pathname), QUERY_STRING: search.slice(1) },
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined); // It has ended before it read everything.
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => {
    const whole = Buffer.concat(chunks);
    const end = whole.indexOf('\r\n\r\n');
    const head = whole.toString('latin1', 0, end).split('\r\n').map((line) => line.split(': ') as [string, string]); // prettier-ignore
    const status = head.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(parseInt(status), head.filter(([name]) => name !== 'Status').flat());
    response.end(whole.subarray(end + 4));
  });
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
