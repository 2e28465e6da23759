/** A key that was refused, told to the one who sent it: which it was. */
import { ApiError } from '@bullpen/client';
import type { Endpoint } from './endpoint.js';

/** The error, with the source of the key in the words of the answer; any other error as it is. The key itself is never shown. */
export function tellKey(error: unknown, endpoint: () => Endpoint): unknown {
  if (!(error instanceof ApiError) || error.problem.code !== 'unauthorized') return error;
  const { url, apiKey, keyFrom } = endpoint();
  const detail =
    apiKey === null
      ? `${url} needs a key, and none was found${keyFrom === null ? '' : ` (there is no ${keyFrom})`}.`
      : `${url} refused the key from ${keyFrom}: ${error.problem.detail}`;
  return new ApiError({ ...error.problem, detail });
}
