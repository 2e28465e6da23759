/** Sends the bytes of a simulated stream in their time, and stops at once when the client has gone. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A piece of the body that is written in one go. */
export interface Chunk {
  bytes: Uint8Array;
  /** Simulated pacing before it, in milliseconds; divided by the speed. */
  delayMs: number;
  /** Pause of a fault before it, in milliseconds; never scaled. */
  pauseMs: number;
  /** Output tokens billed once it is sent; undefined while nothing is billed. */
  outputTokens: number | undefined;
}

/** A multiplier (2 is twice as fast), or no simulated delays at all. */
export type Speed = number | 'max';

/** Milliseconds to wait for a pacing delay at a speed. */
export function scaled(delayMs: number, speed: Speed): number {
  return speed === 'max' || speed === 0 ? 0 : delayMs / speed;
}

/**
 * Writes head and chunks; does not end the response. `onWritten` is called after each chunk.
 * Returns whether all was written; false when the client went away.
 */
export async function writeStream(
  out: ServerResponse,
  head: Record<string, number | string | string[] | undefined>,
  chunks: readonly Chunk[],
  speed: Speed,
  onWritten: (chunk: Chunk) => void,
): Promise<boolean> {
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  out.once('close', onClose);
  try {
    // Times are counted from the start, so that the coarse timers of the system don't add up.
    let dueAt = performance.now();
    for (const chunk of chunks) {
      dueAt += scaled(chunk.delayMs, speed) + chunk.pauseMs;
      const waitMs = dueAt - performance.now();
      if (waitMs >= 1) await sleep(waitMs, undefined, { signal: gone.signal });
      gone.signal.throwIfAborted();
      if (!out.headersSent) out.writeHead(200, head);
      const isRoomLeft = out.write(chunk.bytes);
      onWritten(chunk);
      if (!isRoomLeft) await once(out, 'drain', { signal: gone.signal });
    }
    if (!out.headersSent) out.writeHead(200, head);
    return true;
  } catch (error) {
    // A reset can show as an error of the write before it shows as the end of the response.
    if (gone.signal.aborted || out.destroyed) return false;
    throw error;
  } finally {
    out.off('close', onClose);
  }
}
