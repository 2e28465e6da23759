/** The client of the gateway that served this page. */
import { createClient } from '@bullpen/client';
import { noteServerTime } from './server-clock.js';

export const bullpen = createClient({
  baseUrl: location.origin,
  fetch: async (input, init) => {
    const response = await fetch(input, init);
    noteServerTime(response.headers.get('date'));
    return response;
  },
});
