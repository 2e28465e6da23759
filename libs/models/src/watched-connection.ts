/**
 * The connections to the provider, and what we need to know about a request on its way: the moment before it is written, and each
 * piece of its answer. Between the decision to send and the bytes on the wire there are a name lookup, a connection and a
 * handshake; undici reports the moment after all that. The SDK hides pings, and these prove that the connection lives.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import type { AnswerBody } from './answer-body.js';
import { EVENT_STREAM, ModelCallError } from './errors.js';

/** A proxy that requests go through: they are tunnelled, so that no piece of a stream is held back on the way. */
export interface ModelProxy {
  readonly url: string;
  /** Value of `proxy-authorization`. */
  readonly authorization: string | null;
}

/** Only `StreamWatch` decides how long an answer may be silent. */
const UNTIMED = { headersTimeout: 0, bodyTimeout: 0 } as const;

const direct = new Agent(UNTIMED);

/** Connections that are kept between requests; all models that go out directly share them. */
export function openConnections(proxy: ModelProxy | null): Dispatcher {
  if (proxy === null) return direct;
  const { url: uri, authorization } = proxy;
  return new ProxyAgent({ ...UNTIMED, uri, ...(authorization === null ? {} : { token: authorization }) });
}

export interface RequestWatch {
  /** Asked right before the write. When it says no, the request is not written and fails as `aborted`. */
  readonly maySend: () => boolean;
  /** Called for every piece of the answer's body. */
  readonly onBytes: () => void;
  /** Gets the body of an event stream that comes as it is, without a way through `fetch`. */
  readonly body: AnswerBody;
}

/** The connections, for one request. Through a proxy the moment before the write is the one after the tunnel was made. */
export function watched(connections: Dispatcher, watch: RequestWatch): Dispatcher {
  return connections.compose(
    (dispatch) => (options, handler) => dispatch(options, new WatchedRequest(handler, watch)),
  );
}

class WatchedRequest implements Dispatcher.DispatchHandler {
  constructor(
    private readonly inner: Dispatcher.DispatchHandler,
    private readonly watch: RequestWatch,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    if (!this.watch.maySend())
      throw new ModelCallError('aborted', 'The model request was not sent, because it is no longer allowed.');
    this.inner.onRequestStart?.(controller, context);
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.inner.onResponseStart?.(...args);
    const [controller, status, headers] = args;
    if (isPlainEventStream(status, headers)) this.watch.body.open(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { onBytes, body } = this.watch;
    onBytes();
    if (body.isOpen) body.push(chunk);
    else this.inner.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.watch.body.end(null);
    this.inner.onResponseEnd?.(...args);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.watch.body.end(error);
    this.inner.onResponseError?.(controller, error);
  }
}

/** Redirects, errors and compressed answers are `fetch`'s to read. */
function isPlainEventStream(status: number, headers: IncomingHttpHeaders): boolean {
  return (
    status === 200 &&
    headers['content-encoding'] === undefined &&
    EVENT_STREAM.test(headers['content-type'] ?? '')
  );
}
