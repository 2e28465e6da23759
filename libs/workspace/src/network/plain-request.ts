/** A plain request that goes on to an opened host: on a connection of its own, with headers that the proxy wrote. */
import {
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { connectionFault } from '@bullpen/platform';
import { connectTo } from './connection.js';
import type { OpenWay } from './judge-target.js';

/** About one connection only (RFC 9110 7.6.1), or about the proxy. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
];

/** Resolves with the connection once the request is on its way. Rejects, with nothing answered yet, when the host can't be reached. */
export async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  way: OpenWay,
): Promise<Socket> {
  const socket = await connectTo(way);
  const outgoing = ask(request, way, socket);
  outgoing.once('response', (answer) => giveBack(answer, response));
  outgoing.on('error', (error) => fail(response, error));
  outgoing.once('close', () => {
    if (!response.headersSent) fail(response, new Error('it gave no answer'));
  });
  pipeline(request, outgoing, () => undefined);
  if (response.destroyed) socket.destroy();
  else response.once('close', () => socket.destroy());
  return socket;
}

/** Throws for what no HTTP client may send. */
function ask(request: IncomingMessage, way: OpenWay, socket: Socket): ClientRequest {
  try {
    return httpRequest({
      createConnection: () => socket,
      method: request.method,
      path: way.path,
      headers: headersFor(request, way),
    });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function headersFor(request: IncomingMessage, { host, port }: OpenWay): Record<string, string | string[]> {
  // Without this a body of unknown length would be sent as none with some methods, and be read as a request of its own.
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  return {
    ...endToEnd(request),
    host: port === 80 ? host : `${host}:${port}`,
    connection: 'close',
    ...(isChunked && { 'transfer-encoding': 'chunked' }),
  };
}

function giveBack(answer: IncomingMessage, response: ServerResponse): void {
  try {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer));
  } catch (error) {
    // A status or a header that no HTTP server may send.
    answer.destroy();
    fail(response, error as Error);
    return;
  }
  pipeline(answer, response, () => undefined);
}

/** Before the answer: a 502. In the middle of it, only its end can say that something is missing. */
function fail(response: ServerResponse, error: Error): void {
  if (response.headersSent) response.destroy();
  else
    response
      .writeHead(502, { 'content-type': 'text/plain', connection: 'close' })
      .end(`${connectionFault(error)}\n`);
}

function endToEnd({ headersDistinct, headers }: IncomingMessage): Record<string, string[]> {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  const dropped = new Set([...HOP_BY_HOP, ...named.map((name) => name.trim())]);
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values]) =>
      values === undefined || dropped.has(name) ? [] : [[name, values]],
    ),
  );
}
