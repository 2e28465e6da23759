/** The gate of the simulator without the simulator: for servers that answer in ways of their own. */
import { parseJson } from './http/read-request.js';
import { validateMessagesRequest } from './validation/validate-request.js';
import type { MessagesRequest } from './wire.js';

/** The body of a `POST /v1/messages` as a valid request. Throws `ApiError` with the words of the real API for any other. */
export function checkedRequest(body: Buffer): MessagesRequest {
  return validateMessagesRequest(parseJson(body));
}
