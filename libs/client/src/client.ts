/** The client: one object, named like the API. */
import type { BullpenClient } from './bullpen-client.js';
import { firstPartOf } from './first-part.js';
import { secondPartOf } from './second-part.js';
import { Transport, type TransportOptions } from './transport.js';

/** A client for one gateway. Makes no request by itself. */
export function createClient(options: TransportOptions): BullpenClient {
  const transport = new Transport(options);
  return { ...firstPartOf(transport), ...secondPartOf(transport) };
}
