/**
 * The events of an answer as they are on the wire. Read record by record and not through the SDK's stream: that drops a record
 * that has no `event:` line, which a proxy may have left out, and the answer is paid for; and its streams cost more than the events.
 */
import { errorText } from '@bullpen/contracts';
import { APIError } from '@anthropic-ai/sdk';
import type { EventSourceMessage } from 'eventsource-parser';
import type { Pieces } from './answer-body.js';
import { ModelCallError } from './errors.js';
import { EventRecords } from './event-records.js';
import { asFields, asText, type Fields } from './wire-values.js';

/** One event. `type` is the only thing that is known of it. */
export interface WireEvent {
  readonly type: string;
  readonly fields: Fields;
}

/** The mark with which other providers' streams end; it is no JSON. */
const DONE = '[DONE]';

/** The events in their order; anything that is not an object with a type is skipped. */
export class WireEvents {
  readonly #decoder = new EventRecords();
  #records: readonly EventSourceMessage[] = [];
  #at = 0;

  /** The response is held for as long as it is read: undici closes the connection of one that is collected unread. */
  constructor(
    private readonly pieces: Pieces,
    private readonly response: Response,
  ) {}

  /**
   * The next event of those that have arrived; null when it is still to come.
   * @throws APIError for an `error` event, ModelCallError `network` for a record that is no JSON: what follows it cannot be trusted.
   */
  arrived(): WireEvent | null {
    for (;;) {
      const record = this.#records[this.#at];
      if (record === undefined) return null;
      this.#at += 1;
      const event = this.#eventOf(record);
      if (event !== null) return event;
    }
  }

  /** The next event; null at the end. Throws as `arrived` does, and what broke the connection. */
  async next(): Promise<WireEvent | null> {
    for (;;) {
      const event = this.arrived();
      if (event !== null) return event;
      const piece = await this.pieces.next();
      if (piece === null) return null;
      this.#records = this.#decoder.of(piece);
      this.#at = 0;
    }
  }

  #eventOf({ event, data }: EventSourceMessage): WireEvent | null {
    if (event === 'ping' || data === '' || data === DONE) return null;
    const fields = asFields(event === 'error' ? errorBody(data) : parsed(data));
    const type = asText(fields['type']) || (event ?? '');
    if (type === 'error' || event === 'error') throw streamError(fields, this.response.headers);
    return type === '' ? null : { type, fields };
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (error) {
    const reason = errorText(error);
    throw new ModelCallError('network', `The model's stream contained an invalid event: ${reason}`);
  }
}

/** An error is an error, whatever its text looks like. */
function errorBody(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return { error: { message: data } };
  }
}

function streamError(body: Fields, headers: Headers): APIError {
  const type = asText(asFields(body['error'])['type']);
  return new APIError(undefined, body, undefined, headers, (type || null) as APIError['type']);
}
