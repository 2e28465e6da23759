/**
 * Port: live events from the workers to the gateways, best effort. Losing all of it loses nothing that is stored: watchers read the
 * rows and use the bus only to know when to look. Implemented on Redis streams, on Postgres NOTIFY and in memory; all pass
 * `testing/event-bus.contract.ts`.
 */
import type { BusMessage } from '@bullpen/contracts';

export type BusListener = (message: BusMessage) => void;

/** Live events from those who make them to those who watch; what is lost can be read from the record. */
export interface EventBus {
  /**
   * Sends at once after a pause, else soon (within about 20 ms), and forgets. Never throws and never blocks. Messages of one task keep their order;
   * `rows` of a task that wait together may be merged into the newest. A publisher that falls behind drops deltas first.
   */
  publish(message: BusMessage): void;
  /**
   * Calls `listener` for everything published from now on, by whichever process. If it throws, that is logged and affects nobody
   * else. `onGap` is called when messages may have been missed (the server was away): read the rows again. Resolves when the
   * subscription is live, or after 2 s when the server cannot be reached; it then gets live later, with a gap. The returned
   * function ends the subscription: after it resolved the listener is not called again.
   */
  subscribe(listener: BusListener, onGap?: () => void): Promise<() => Promise<void>>;
  /** Sends what waits, as far as possible within 2 s, and gives up the connections. Safe to call twice. */
  close(): Promise<void>;
}

/** Shortest time between two batches, in ms: what comes meanwhile is gathered. */
export const GATHER_MS = 20;

/** Bound of `subscribe` and `close`, in ms. */
export const BUS_TIMEOUT_MS = 2_000;

/**
 * A received message, or null when it is not one: another version may be publishing. A check of the shape only, as the senders are
 * our own processes.
 */
export function parseBusMessage(value: unknown): BusMessage | null {
  if (!isRecord(value)) return null;
  if (value['kind'] === 'provider') return isText(value, 'key') ? (value as BusMessage) : null;
  if (value['kind'] === 'worker') return isText(value, 'workerId') ? (value as BusMessage) : null;
  if (typeof value['tenantId'] !== 'string') return null;
  switch (value['kind']) {
    case 'rows':
      return isText(value, 'rootId', 'taskId') && typeof value['seq'] === 'number'
        ? (value as BusMessage)
        : null;
    case 'cancel':
      return isText(value, 'rootId') ? (value as BusMessage) : null;
    case 'process':
      return isText(value, 'processId') ? (value as BusMessage) : null;
    case 'restore':
      return isText(value, 'restoreId') ? (value as BusMessage) : null;
    case 'delta':
      return isRecord(value['delta']) &&
        isText(value['delta'], 'rootId', 'taskId', 'type') &&
        isRecord(value['delta']['data'])
        ? (value as BusMessage)
        : null;
    default:
      return null;
  }
}

/** What a value that is not a message claims to be, for the log. */
export function kindOf(value: unknown): string {
  const kind = isRecord(value) ? value['kind'] : undefined;
  return typeof kind === 'string' ? kind.slice(0, 50) : 'of no kind';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: Record<string, unknown>, ...keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === 'string');
}
