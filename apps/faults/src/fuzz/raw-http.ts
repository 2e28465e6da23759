/** HTTP as bytes, for what no client would send. */
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

export interface Exchange {
  /** In the order of their requests; empty when the server closed the connection without a word. */
  readonly answers: readonly RawAnswer[];
  readonly ms: number;
  /** True when nothing, or not all, had come by the end of the time. */
  readonly hung: boolean;
}

export interface SendOptions {
  readonly port: number;
  readonly timeoutMs: number;
  /** Closes our half after the last byte: what is sent ends too early. */
  readonly halfClose: boolean;
  /** Answers to a HEAD have no body. */
  readonly isHead: boolean;
}

/** Sends these bytes on a connection of their own and reads until the server closes it. A stream counts as answered by its head. */
export function sendRaw(
  bytes: Buffer,
  { port, timeoutMs, halfClose, isHead }: SendOptions,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const timer = setTimeout(() => finish(true), timeoutMs);
    const finish = (hung: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      const answers = parseAnswers(Buffer.concat(chunks), isHead);
      resolve({ answers, ms: performance.now() - startedAt, hung });
    };
    socket.on('connect', () => {
      if (halfClose) socket.end(bytes);
      else socket.write(bytes);
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isStream(chunks)) finish(false);
    });
    socket.on('end', () => finish(false));
    // A reset: the server had its say and closed before it had read everything.
    socket.on('error', () => finish(false));
  });
}

/** The head, after a "100 Continue" perhaps, says that it is one. */
function isStream(chunks: readonly Buffer[]): boolean {
  if (chunks.length > 3) return false;
  const start = Buffer.concat(chunks).toString('latin1', 0, 4_096);
  return /^(?:HTTP\/1\.1 100 [^\r]*\r\n\r\n)?HTTP\/1\.1 200 (?:[^\r]|\r\n(?!\r\n))*?content-type: text\/event-stream/i.test(
    start,
  );
}

/** All answers in what was read; the last one may be cut, as that of a stream is. */
function parseAnswers(bytes: Buffer, isHead: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const head = bytes.toString('latin1', at, end);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
    const { body, next } = bodyOf(bytes, end + 4, head, isHead || status < 200 || status === 204);
    at = next;
    if (status >= 200 || status === 0)
      answers.push({ status, type: headerOf(head, 'content-type') ?? '', body });
  }
  return answers;
}

function bodyOf(bytes: Buffer, from: number, head: string, isEmpty: boolean): { body: Buffer; next: number } {
  if (isEmpty) return { body: Buffer.alloc(0), next: from };
  if (/chunked/i.test(headerOf(head, 'transfer-encoding') ?? '')) return chunkedBody(bytes, from);
  const length = Number(headerOf(head, 'content-length') ?? bytes.length - from);
  return { body: bytes.subarray(from, from + length), next: from + length };
}

function chunkedBody(bytes: Buffer, from: number): { body: Buffer; next: number } {
  const parts: Buffer[] = [];
  for (let at = from; at < bytes.length;) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) break;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (size === 0) return { body: Buffer.concat(parts), next: line + 4 };
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 4 + size;
  }
  return { body: Buffer.concat(parts), next: bytes.length };
}

function headerOf(head: string, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(head)?.[1];
}
