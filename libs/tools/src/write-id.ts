/** Names the temporary file of a call's write: the same for a repetition of the call, and fit for a file name. */
import { createHash } from 'node:crypto';

/** Names the temporary file of a write: a call that runs again finds its own. */
export function writeIdOf(callId: string): string {
  return createHash('sha256').update(callId).digest('hex').slice(0, 16);
}
