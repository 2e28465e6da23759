/** The record of every request served: the independent witness of what was paid for, when a client under test is killed. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Usage } from './wire.js';

export interface RequestLogEntry {
  /** Counts from 1 in the order in which requests ended. */
  seq: number;
  /** When the request came in; ISO 8601. */
  time: string;
  durationMs: number;
  requestId: string;
  method: string;
  path: string;
  /** Status that was sent; 499 when the client left before there was one. */
  status: number;
  /**
   * `completed`: the whole answer was handed to the network. `aborted`: the client left before that. `cut`: a fault ended the stream.
   * `refused`: an error was answered, by the validator or by a fault.
   */
  outcome: 'completed' | 'aborted' | 'cut' | 'refused';
  /** SHA-256 of the body's bytes, in hex; null when there was none. */
  bodySha256: string | null;
  model: string | null;
  agent: string | null;
  turnIndex: number | null;
  stream: boolean;
  messageId: string | null;
  stopReason: string | null;
  /** Kind of the fault that was served. */
  fault: string | null;
  /** What the request is billed; null when it costs nothing. */
  usage: Usage | null;
  /** Text of the error answered. */
  error: string | null;
}

/** Facts of a request, filled in while it is served. */
export type RequestDraft = Omit<RequestLogEntry, 'seq' | 'durationMs'>;

/** In memory only the latest are kept; the file has all. */
const MAX_IN_MEMORY = 50_000;

export class RequestLog {
  private readonly entries: RequestLogEntry[] = [];
  private seq = 0;

  /** Throws when the folder of `file` can't be made. */
  constructor(private readonly file: string | undefined) {
    if (file !== undefined) mkdirSync(dirname(file), { recursive: true });
  }

  /** Adds an entry. The line is in the file when this returns, so that it survives a kill of the simulator. */
  write(draft: RequestDraft): void {
    this.seq += 1;
    const entry = { seq: this.seq, ...draft, durationMs: Math.max(0, Date.now() - Date.parse(draft.time)) };
    this.entries.push(entry);
    if (this.entries.length > MAX_IN_MEMORY) this.entries.shift();
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
  }

  /** A copy of the entries so far, oldest first. */
  list(): RequestLogEntry[] {
    return [...this.entries];
  }
}
