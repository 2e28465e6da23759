/** One request to one receiver: to a checked address, without redirects, with an end to its time and to what is read of its answer. */
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connectionFault, pinned, type ResolvedAddress } from '@bullpen/platform';
import { signedHeaders, type Message } from './signature.js';
import { resolveTarget, type TargetRules } from './target.js';

export interface Outgoing extends Message {
  readonly url: string;
  readonly secrets: readonly string[];
}

export interface SendOptions extends TargetRules {
  /** For all of it: name, connection, answer. */
  readonly timeoutMs: number;
  /** What the receiver sees as the sender. */
  readonly userAgent: string;
}

/** What an attempt met. `status` null: there was no answer, and `error` says why. */
export interface SendResult {
  readonly status: number | null;
  readonly error: string | null;
  /** The first bytes of the answer's body; null without an answer. */
  readonly response: string | null;
  /** What the answer asks to wait, in ms. */
  readonly retryAfterMs: number | null;
}

/** Kept of an answer; more is not read. */
const RESPONSE_BYTES = 1_024;

/**
 * Sends a message once. Whatever the receiver does is a result. Throws the signal's reason when it fires: then nobody knows
 * whether the message arrived.
 */
export async function sendWebhook(
  message: Outgoing,
  options: SendOptions,
  signal: AbortSignal,
): Promise<SendResult> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const both = AbortSignal.any([signal, timeout]);
  try {
    const target = await unlessAborted(resolveTarget(message.url, options), both);
    if (target.kind !== 'open') return failure(`not sent: ${target.reason}`);
    return await post(message, target.addresses, options, both);
  } catch (error) {
    signal.throwIfAborted();
    return failure(timeout.aborted ? `no answer within ${options.timeoutMs} ms` : connectionFault(error));
  }
}

function post(
  message: Outgoing,
  addresses: readonly ResolvedAddress[],
  { userAgent }: SendOptions,
  signal: AbortSignal,
): Promise<SendResult> {
  const url = new URL(message.url);
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    // A connection for each message: one that is kept open would be to an address that was checked some time ago.
    agent: false,
    lookup: pinned(addresses),
    signal,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(message.body),
      'user-agent': userAgent,
      ...signedHeaders(message, message.secrets),
    },
  });
  return answerOf(request, message.body);
}

function answerOf(request: ClientRequest, body: string): Promise<SendResult> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      readStart(response).then(
        (text) => resolve(resultOf(response, text)),
        // The status says it all; a body that breaks off changes nothing.
        () => resolve(resultOf(response, '')),
      );
    });
    request.end(body);
  });
}

/** The first bytes of the body; then the connection is closed, whatever else the receiver has to say. */
async function readStart(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= RESPONSE_BYTES) break;
    }
  } finally {
    response.destroy();
  }
  return Buffer.concat(parts).subarray(0, RESPONSE_BYTES).toString('utf8').replaceAll('\0', '\ufffd');
}

function resultOf({ statusCode = 0, headers }: IncomingMessage, response: string): SendResult {
  const success = statusCode >= 200 && statusCode < 300;
  const redirect = statusCode >= 300 && statusCode < 400;
  const error = redirect ? 'redirects are not followed' : `the receiver answered ${statusCode}`;
  const seconds = Number(headers['retry-after'] ?? NaN);
  return {
    status: statusCode,
    error: success ? null : error,
    response,
    retryAfterMs: Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : null,
  };
}

function failure(error: string): SendResult {
  return { status: null, error, response: null, retryAfterMs: null };
}

/** A name server that does not answer must not hold an attempt beyond its time. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
