/**
 * The only way out of a box: an HTTP proxy that lets requests through to opened hosts and refuses all others. It judges each request,
 * also those that come on one connection, and connects to the addresses that it judged.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HostRules } from '@bullpen/contracts';
import { connectionFault, type AddressRules } from '@bullpen/platform';
import { connectTo, PROXY_LIMITS } from './connection.js';
import { judgeTarget, type OpenWay, type Refusal } from './judge-target.js';
import { passOn } from './plain-request.js';
import { plainTarget, tunnelTarget, type ReadTarget } from './proxy-target.js';
import { joinTunnel, tie } from './tunnel.js';

/** What the proxy tells about each request. `target`: name and port, or the text that was none. */
export type NetworkReport =
  | { readonly kind: 'opened'; readonly target: string }
  | { readonly kind: 'refused'; readonly target: string; readonly reason: string }
  | {
      readonly kind: 'ended';
      readonly target: string;
      readonly sentBytes: number;
      readonly receivedBytes: number;
    };

export interface FilteringProxyOptions {
  readonly rules: HostRules;
  /** Which addresses an opened name may lead to. */
  readonly addresses: AddressRules;
  /** Gets every decision. Must not throw. */
  readonly report: (report: NetworkReport) => void;
}

/** A server that listens nowhere yet. */
export function filteringProxy(options: FilteringProxyOptions): Server {
  const { connections, headerBytes, headersMs, idleMs } = PROXY_LIMITS;
  const server = createServer({ maxHeaderSize: headerBytes, headersTimeout: headersMs, requestTimeout: 0 });
  server.maxConnections = connections;
  server.timeout = idleMs;
  server.on('request', (request, response) => void answer(request, response, options));
  server.on('connect', (request, socket, head) => void openTunnel(request, socket, head, options));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    endWith(socket, 400, `the request cannot be read (${error.code ?? error.message})`);
  });
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: FilteringProxyOptions,
): Promise<void> {
  // Before anything is awaited: what breaks meanwhile is nothing to throw about.
  response.on('error', () => response.destroy());
  const way = await judged(plainTarget(request), request, options);
  try {
    if ('status' in way) refuse(response, way);
    else reportOpened(await passOn(request, response, way), way, options);
  } catch (error) {
    refuse(response, { status: 502, reason: connectionFault(error) });
  }
}

/** The body of a refused request is not read, so the connection can't be used again. */
function refuse(response: ServerResponse, { status, reason }: Refusal): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`Bullpen: ${reason}\n`);
}

async function openTunnel(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  options: FilteringProxyOptions,
): Promise<void> {
  client.on('error', () => client.destroy());
  const way = await judged(tunnelTarget(request), request, options);
  if ('status' in way) {
    endWith(client, way.status, way.reason);
    return;
  }
  try {
    const upstream = await connectTo(way);
    // The server of Node is one of sockets, whatever its types say.
    tie(client as Socket, upstream);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const reason = await joinTunnel(client as Socket, head, upstream, way.host);
    if (reason === null) reportOpened(upstream, way, options);
    else options.report({ kind: 'refused', target: nameOf(way), reason });
  } catch (error) {
    endWith(client, 502, `${nameOf(way)}: ${connectionFault(error)}`);
  }
}

async function judged(
  target: ReadTarget,
  { url = '' }: IncomingMessage,
  { rules, addresses, report }: FilteringProxyOptions,
): Promise<OpenWay | Refusal> {
  const way = await judgeTarget(target, rules, addresses);
  if ('status' in way) {
    const name = 'fault' in target ? url.slice(0, 200) : nameOf(target);
    report({ kind: 'refused', target: name, reason: way.reason });
  }
  return way;
}

function reportOpened(upstream: Socket, way: OpenWay, { report }: FilteringProxyOptions): void {
  report({ kind: 'opened', target: nameOf(way) });
  upstream.once('close', () => {
    const { bytesWritten: sentBytes, bytesRead: receivedBytes } = upstream;
    report({ kind: 'ended', target: nameOf(way), sentBytes, receivedBytes });
  });
}

/** The reason stands in the status line as well: of a tunnel that is refused, programs show nothing else. */
function endWith(client: Duplex, status: number, reason: string): void {
  if (!client.writable) {
    client.destroy();
    return;
  }
  const line = `Bullpen: ${reason}`.replace(/[^\x20-\x7e]/g, '?');
  const headers = `Content-Type: text/plain\r\nContent-Length: ${line.length + 1}\r\nConnection: close`;
  client.end(`HTTP/1.1 ${status} ${line}\r\n${headers}\r\n\r\n${line}\n`, () => client.destroy());
}

function nameOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host}:${port}`;
}
