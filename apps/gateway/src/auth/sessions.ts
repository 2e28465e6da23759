/**
 * Browser sessions: a one-time code, made with a key, is exchanged for a cookie. Both are random and kept only as hashes, in
 * memory: a restart signs browsers out, and nothing to steal is stored. A session is worth what its key is worth.
 */
import { createHash, randomBytes } from 'node:crypto';

const CODE_MS = 5 * 60_000;
/** Lifetime of a session, in ms. */
export const SESSION_MS = 12 * 3_600_000;
/** More than people have browsers; the oldest goes first. */
const MAX_ENTRIES = 1_000;

interface Entry {
  readonly keyId: string;
  readonly expiresAt: number;
}

export class Sessions {
  readonly #codes = new Map<string, Entry>();
  readonly #sessions = new Map<string, Entry>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A new login code for the holder of a key. */
  issueCode(keyId: string): { code: string; expiresAt: Date } {
    const { secret, expiresAt } = this.#put(this.#codes, keyId, CODE_MS);
    return { code: secret, expiresAt };
  }

  /** Exchanges a code for a session; null when it is unknown, used or too old. Of two at once, one gets it. */
  redeem(code: string): { token: string; expiresAt: Date } | null {
    const hash = hashOf(code);
    const entry = this.#codes.get(hash);
    this.#codes.delete(hash);
    if (!entry || entry.expiresAt <= this.#now()) return null;
    const { secret, expiresAt } = this.#put(this.#sessions, entry.keyId, SESSION_MS);
    return { token: secret, expiresAt };
  }

  /** The id of the key behind a session; null when the session is unknown or over. */
  keyIdOf(token: string): string | null {
    const entry = this.#sessions.get(hashOf(token));
    return entry && entry.expiresAt > this.#now() ? entry.keyId : null;
  }

  /** Ends a session. */
  end(token: string): void {
    this.#sessions.delete(hashOf(token));
  }

  #put(map: Map<string, Entry>, keyId: string, lifeMs: number): { secret: string; expiresAt: Date } {
    const secret = randomBytes(32).toString('base64url');
    const expiresAt = this.#now() + lifeMs;
    for (const [hash, entry] of map) if (entry.expiresAt <= this.#now()) map.delete(hash);
    const [oldest] = map.keys();
    if (map.size >= MAX_ENTRIES && oldest !== undefined) map.delete(oldest);
    map.set(hashOf(secret), { keyId, expiresAt });
    return { secret, expiresAt: new Date(expiresAt) };
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
