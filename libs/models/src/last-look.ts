/**
 * A last look before a request leaves. Between the decision to send and the bytes on the wire lie a name lookup, a connection and
 * its handshake; undici tells of the moment after all that, with only the write behind it.
 */
import { Agent, type Dispatcher } from 'undici';
import { ModelCallError } from './errors.js';

/** Kept between requests. How long an answer may be silent is `StreamWatch`'s to say, and nobody else's. */
const connections = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

/**
 * The connections, for one request: it is not written when `maySend` says no at that moment, and fails as `aborted`. Nothing of
 * it has reached the provider then.
 */
export function lookingFirst(maySend: () => boolean): Dispatcher {
  return connections.compose(
    (dispatch) => (options, handler) => dispatch(options, new LookingFirst(handler, maySend)),
  );
}

class LookingFirst implements Dispatcher.DispatchHandler {
  constructor(
    private readonly inner: Dispatcher.DispatchHandler,
    private readonly maySend: () => boolean,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    if (!this.maySend())
      throw new ModelCallError('aborted', 'The model request was held back: it may not be sent any more.');
    this.inner.onRequestStart?.(controller, context);
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.inner.onResponseStart?.(...args);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.inner.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.inner.onResponseEnd?.(...args);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.inner.onResponseError?.(controller, error);
  }
}
