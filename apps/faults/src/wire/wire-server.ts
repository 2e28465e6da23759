/**
 * A server in place of the Messages API that says what a case wants, byte by byte. It reads as strictly as the real one: what that
 * would refuse is answered with 400 and noted.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as tick } from 'node:timers/promises';
import { errorText } from '@bullpen/contracts';
import { checkedRequest, type MessagesRequest } from '@bullpen/model-sim';
import { apiError, type Meaning, type Reply } from './reply.js';

/** One request as it came, and what it got. */
export interface Exchange {
  /** The whole body. */
  readonly body: string;
  /** Null for one that the real API would refuse. */
  readonly request: MessagesRequest | null;
  /** Why the real API would refuse it. */
  readonly illegal: string | null;
  readonly meaning: Meaning;
}

/** The answer to a request that the real API would take; `at` counts the requests of the case from 0. */
export type Script = (request: MessagesRequest, at: number) => Reply;

const MARK = /Wire case ([\w-]+)/;

/** The words by which the server knows whose request it is. */
export function promptOf(name: string): string {
  return `Wire case ${name}: go through it step by step.`;
}

export class WireServer {
  readonly #scripts = new Map<string, Script>();
  readonly #seen = new Map<string, Exchange[]>();
  /** All that was answered, by case. */
  readonly #said = new Map<string, string>();
  readonly #server: Server;

  private constructor(listen: (listener: RequestListener) => Server) {
    this.#server = listen((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  /** `listen` makes the server, so that it may be one with TLS. @defaultValue plain HTTP, for this machine alone */
  static async start(
    listen: (listener: RequestListener) => Server = createServer,
    address = '127.0.0.1',
  ): Promise<WireServer> {
    const server = new WireServer(listen);
    server.#server.listen(0, address);
    await once(server.#server, 'listening');
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Says what the requests of a case get. */
  script(name: string, script: Script): void {
    this.#scripts.set(name, script);
  }

  /** The requests of a case, in order. */
  exchanges(name: string): readonly Exchange[] {
    return this.#seen.get(name) ?? [];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    await send(response, this.#replyTo(body));
  }

  #replyTo(bytes: Buffer): Reply {
    const body = bytes.toString('utf8');
    const name = MARK.exec(body)?.[1] ?? '';
    const seen = this.#seen.get(name) ?? [];
    const said = this.#said.get(name) ?? '';
    this.#seen.set(name, seen);
    const script = this.#scripts.get(name);
    if (script === undefined) return apiError(404, 'not_found_error', `There is no case ${name}`);
    try {
      const request = asProvider(body, said);
      const reply = script(request, seen.length);
      this.#said.set(name, said + Buffer.concat(reply.pieces).toString('utf8'));
      seen.push({ body, request, illegal: null, meaning: reply.meaning });
      return reply;
    } catch (error) {
      const illegal = errorText(error);
      seen.push({ body, request: null, illegal, meaning: 'refusal' });
      return apiError(400, 'invalid_request_error', illegal);
    }
  }
}

/**
 * The request as a provider reads it that knows its own inventions: blocks of kinds that it has sent itself, and the fields that these cases
 * invent, come back to it as they were. The rest is checked strictly.
 */
function asProvider(body: string, said: string): MessagesRequest {
  let kept = body;
  for (;;) {
    try {
      return checkedRequest(Buffer.from(kept));
    } catch (error) {
      const kind = UNKNOWN_KIND.exec(errorText(error))?.[1];
      const isField = errorText(error).endsWith('.novelty: Extra inputs are not permitted');
      if (!isField && (kind === undefined || !said.includes(`"type":${JSON.stringify(kind)}`))) throw error;
      kept = JSON.stringify(JSON.parse(kept, (name, value: unknown) => without(name, value, kind)));
    }
  }
}

const UNKNOWN_KIND = /^messages\..*Input tag '(.*)' found using 'type'/;

function without(name: string, value: unknown, kind: string | undefined): unknown {
  if (kind === undefined) return name === 'novelty' ? undefined : value;
  if (!Array.isArray(value)) return value;
  return value.filter((one: { readonly type?: unknown } | null) => one?.type !== kind);
}

async function send(response: ServerResponse, { status, headers, pieces, close }: Reply): Promise<void> {
  response.socket?.setNoDelay(true);
  if (close === 'raw') return void response.socket?.end(Buffer.concat(pieces));
  response.writeHead(status, headers);
  for (const piece of pieces) {
    if (response.destroyed) return;
    response.write(piece);
    // On its way before the next: what is torn here must arrive torn.
    await tick();
  }
  if (close === 'end') return void response.end();
  if (response.writableLength > 0) await once(response, 'drain');
  response.socket?.resetAndDestroy();
}
