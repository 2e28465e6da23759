/**
 * Keys of model providers, and what people and workers know about them: paused because the provider asked for it, or parked until a
 * person has fixed it. The keys themselves are never stored, only a fingerprint. Times are the database's: what is left of a pause
 * is given in milliseconds, so that no worker's clock matters.
 */
import { createHash } from 'node:crypto';
import type { ProviderKeyView } from '@bullpen/contracts';
import type { Pool } from 'pg';
import type { OnCommitted } from '../tasks/changes.js';
import { wakeProviderWaits, WORKER_SEEN_MS } from './provider-waits.js';
import { prepared, type StepStatement } from '../steps/sql.js';

export interface ProviderKey {
  /** Fingerprint of endpoint and key: 16 hexadecimal digits. */
  readonly id: string;
  /** The address without credentials, query and fragment. */
  readonly endpoint: string;
}

/** The key's fingerprint, and its endpoint as it may be shown. Throws a TypeError for what is no address. */
export function providerKeyOf(baseUrl: string, apiKey: string): ProviderKey {
  const url = new URL(baseUrl);
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  const id = createHash('sha256').update(`${url.href}\0${apiKey}`).digest('hex').slice(0, 16);
  return { id, endpoint: `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}` };
}

export interface ProviderKeyState {
  readonly parked: { readonly errorClass: string; readonly message: string } | null;
  /** One for each model that was ever paused. */
  readonly pauses: readonly ProviderPause[];
}

/** The newest pause of a model, also when it is over: `leftMs` is negative then. `id` tells it from others. */
export interface ProviderPause {
  readonly model: string;
  readonly id: string;
  readonly leftMs: number;
  readonly errorClass: string;
}

export interface ProviderKeysOptions {
  readonly pool: Pool;
  /** Called after each commit that moved tasks; must not throw. */
  readonly onCommitted: OnCommitted;
  /** Called after each change of a key's state, so that its workers look again; must not throw. */
  readonly onChanged: (keyId: string) => void;
}

interface StateRow {
  parked_class: string | null;
  parked_message: string | null;
  pauses: ProviderPause[];
}

/** Tasks that one statement wakes at most. */
const BATCH = 500;

export class ProviderKeys {
  constructor(private readonly options: ProviderKeysOptions) {}

  /** Registers the key; returns its state. */
  async register({ id, endpoint }: ProviderKey): Promise<ProviderKeyState> {
    await this.write('register-provider', [id, endpoint]);
    return this.read(id);
  }

  /** The state of the key; open when it is not known. */
  async read(id: string): Promise<ProviderKeyState> {
    const { rows } = await this.options.pool.query<StateRow>(prepared('read-provider', [id]));
    const row = rows[0];
    if (!row) return { parked: null, pauses: [] };
    const { parked_class: errorClass, parked_message: message, pauses } = row;
    return { parked: errorClass === null ? null : { errorClass, message: message ?? '' }, pauses };
  }

  /** No request of a model for at least `forMs` from now; a longer pause stays. */
  async pause(
    { id, endpoint }: ProviderKey,
    model: string,
    forMs: number,
    errorClass: string,
  ): Promise<ProviderKeyState> {
    await this.write('pause-provider', [id, endpoint, forMs, errorClass, model]);
    this.options.onChanged(id);
    return this.read(id);
  }

  /** No request until somebody resumes the key. While it is parked the first reason stays. */
  async park({ id, endpoint }: ProviderKey, errorClass: string, message: string): Promise<ProviderKeyState> {
    await this.write('park-provider', [id, endpoint, errorClass, message]);
    this.options.onChanged(id);
    return this.read(id);
  }

  /** Ends a park and all pauses, and queues the tasks that wait for the key. Null when the key is not known. Safe to repeat. */
  async resume(id: string): Promise<ProviderKeyView | null> {
    const { pool, onChanged } = this.options;
    const { rowCount } = await pool.query(prepared('resume-provider', [id]));
    if (rowCount === 0) return null;
    // The workers are told before the tasks reach them.
    onChanged(id);
    while ((await wakeProviderWaits(this.options, BATCH)) === BATCH);
    return (await this.views(id))[0] ?? null;
  }

  /** Keys that are in use, waited for, paused or parked, oldest first. */
  list(): Promise<ProviderKeyView[]> {
    return this.views(null);
  }

  private async views(id: string | null): Promise<ProviderKeyView[]> {
    const { rows } = await this.options.pool.query<ViewRow>(prepared('list-providers', [id, WORKER_SEEN_MS]));
    return rows.map(viewOf);
  }

  private async write(statement: StepStatement, values: unknown[]): Promise<void> {
    await this.options.pool.query(prepared(statement, values));
  }
}

interface ViewRow {
  id: string;
  endpoint: string;
  parked_at: Date | null;
  parked_class: string | null;
  parked_message: string | null;
  paused_reason: string | null;
  paused_until: Date | null;
  paused_since: Date | null;
  paused_models: string[];
  waiting: number;
  workers: number;
}

function viewOf(row: ViewRow): ProviderKeyView {
  const { id, endpoint, parked_at: parkedAt, paused_until: pausedUntil } = row;
  const parked = parkedAt !== null;
  const paused = !parked && pausedUntil !== null;
  const since = parkedAt ?? (paused ? row.paused_since : null);
  return {
    id,
    endpoint,
    state: parked ? 'parked' : paused ? 'paused' : 'open',
    errorClass: parked ? row.parked_class : paused ? row.paused_reason : null,
    message: row.parked_message,
    since: since?.toISOString() ?? null,
    pausedUntil: pausedUntil?.toISOString() ?? null,
    pausedModels: row.paused_models,
    waitingTasks: row.waiting,
    workers: row.workers,
  };
}
