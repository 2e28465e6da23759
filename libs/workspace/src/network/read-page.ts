/** The text of a page, for an agent that has not asked for it by itself: to checked addresses only, with an end to time and size. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { HostRules } from '@bullpen/contracts';
import { isDeniedHost } from '@bullpen/core';
import { connectionFault, pinned, resolveHost, type AddressRules } from '@bullpen/platform';
import { problem, textOf, type FoundText } from '../briefing/read-text.js';

/** For all of it: names, connections, redirects, body. */
const MOST_MS = 20_000;
const MOST_BYTES = 5 * 1_024 * 1_024;
const MOST_REDIRECTS = 5;

export interface PageRules {
  readonly addresses: AddressRules;
  /** Whoever named the page has opened its host with that; what is denied stays closed. */
  readonly network: HostRules;
}

/** The page as text, at most `limit` bytes of it. Whatever is wrong with it is the `problem`; throws the signal's reason only. */
export async function readPage(
  url: string,
  limit: number,
  rules: PageRules,
  signal: AbortSignal,
): Promise<FoundText> {
  const timeout = AbortSignal.timeout(MOST_MS);
  const both = AbortSignal.any([signal, timeout]);
  try {
    return await follow(new URL(url), limit, rules, both);
  } catch (error) {
    signal.throwIfAborted();
    return problem(
      timeout.aborted ? `no whole answer within ${MOST_MS / 1_000} seconds` : connectionFault(error),
    );
  }
}

async function follow(first: URL, limit: number, rules: PageRules, signal: AbortSignal): Promise<FoundText> {
  let url = first;
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const closed = closedBy(url, rules.network);
    if (closed !== null) return problem(closed);
    const found = await abortable(resolveHost(hostOf(url), rules.addresses), signal);
    if (found.kind !== 'open') return problem(`${url.host} is not read: ${found.reason}`);
    const response = await get(url, pinned(found.addresses), signal);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      url = new URL(headers.location, url);
      continue;
    }
    if (statusCode !== 200) {
      response.destroy();
      return problem(`${url.host} answered ${statusCode}`);
    }
    return textOfPage(response, limit);
  }
  return problem(`more than ${MOST_REDIRECTS} redirects`);
}

/** Why the policy keeps a page closed; null when it does not. */
function closedBy(url: URL, network: HostRules): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `${url.protocol} is not read`;
  if (url.username !== '' || url.password !== '') return 'an address with a password in it is not read';
  const host = hostOf(url);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return isDeniedHost(network, host, port) ? `${host} is denied by the policy` : null;
}

/** Without the brackets of an IPv6 address, or the dot at the end of a full name. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

function get(url: URL, lookup: ReturnType<typeof pinned>, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'text/html, text/plain, application/json;q=0.9, text/*;q=0.8',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'bullpen',
    };
    // A connection for each page: one that is kept open would be to an address that was checked some time ago.
    const options = { agent: false, lookup, signal, headers } as const;
    (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options)
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

async function textOfPage(response: IncomingMessage, limit: number): Promise<FoundText> {
  const type = response.headers['content-type'] ?? '';
  if (!/^(text\/|application\/(json|xml|xhtml\+xml|[\w.+-]+\+(json|xml)))/i.test(type)) {
    response.destroy();
    return problem(`it is ${type === '' ? 'of no stated kind' : type.slice(0, 100)}, not text`);
  }
  const { bytes, more } = await body(response);
  const decoded = decode(bytes, /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8');
  if (decoded === null) return problem('its text is in an encoding that is not known');
  const text = Buffer.from(/html/i.test(type) ? await plainText(decoded) : decoded);
  const found = textOf(text, text.length, limit, null);
  return more
    ? { ...found, cut: true, problem: `only the first ${MOST_BYTES} bytes of the page were read` }
    : found;
}

/** The body unpacked, as far as is allowed: what is packed small may be large. */
async function body(response: IncomingMessage): Promise<{ bytes: Buffer; more: boolean }> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of unpacked(response) as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length > MOST_BYTES) break;
    }
  } finally {
    response.destroy();
  }
  return { bytes: Buffer.concat(parts).subarray(0, MOST_BYTES), more: length > MOST_BYTES };
}

function unpacked(response: IncomingMessage): NodeJS.ReadableStream {
  switch (response.headers['content-encoding']) {
    case 'gzip':
      return response.pipe(createGunzip());
    case 'deflate':
      return response.pipe(createInflate());
    case 'br':
      return response.pipe(createBrotliDecompress());
    default:
      return response;
  }
}

function decode(bytes: Buffer, charset: string): string | null {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // Thrown for a name that is none.
    return null;
  }
}

async function plainText(html: string): Promise<string> {
  const { convert } = await import('html-to-text'); // Few processes ever read a page.
  return convert(html, {
    wordwrap: false,
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'nav', format: 'skip' },
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'table', format: 'dataTable' },
    ],
  });
}

/** A name server that does not answer must not hold the task beyond the time. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
