/**
 * The events of an answer as they are on the wire. Read record by record and not through the SDK's stream, which drops a record
 * that has no `event:` line: a proxy may have left it out, and the answer is paid for.
 */
import { errorText } from '@bullpen/contracts';
import { APIError } from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/core/streaming';
import { ModelCallError } from './errors.js';
import { asFields, asText, type Fields } from './wire-values.js';

/** One event. `type` is the only thing that is known of it. */
export interface WireEvent {
  readonly type: string;
  readonly fields: Fields;
}

/** The mark with which other providers' streams end; it is no JSON. */
const DONE = '[DONE]';

/**
 * Yields the events in their order; anything that is not an object with a type is skipped.
 * @throws APIError for an `error` event, ModelCallError `network` for a record that is no JSON: what follows it cannot be trusted.
 */
export async function* wireEvents(
  response: Response,
  connection: AbortController,
): AsyncGenerator<WireEvent> {
  for await (const { event, data } of Stream.rawEvents(response, connection)) {
    if (event === 'ping' || data === '' || data === DONE) continue;
    const fields = asFields(event === 'error' ? errorBody(data) : parsed(data));
    const type = asText(fields['type']) || (event ?? '');
    if (type === 'error' || event === 'error') throw streamError(fields, response);
    if (type !== '') yield { type, fields };
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

function streamError(body: Fields, response: Response): APIError {
  const type = asText(asFields(body['error'])['type']);
  return new APIError(undefined, body, undefined, response.headers, (type || null) as APIError['type']);
}
