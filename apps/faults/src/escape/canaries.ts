/** What must neither be read nor changed: values that nobody may see, and files and folders that must stay as they are. */
import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Finding } from './finding.js';

/** Longer files are compared by their stats alone. */
const MAX_HASHED_BYTES = 1_000_000;

export class Canaries {
  /** Secret values by what they are. */
  readonly #secrets = new Map<string, string>();
  readonly #watched = new Map<string, string>();

  /** A value that must not be seen in any output. */
  secret(label: string, given?: string): string {
    const value = given ?? `canary-${label}-${randomBytes(12).toString('hex')}`;
    this.#secrets.set(label, value);
    return value;
  }

  /** A file that holds a value of its own. */
  plant(file: string, label: string): string {
    const value = this.secret(label);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${value}\n`, { mode: 0o600 });
    return value;
  }

  /** A file that must not change, or a folder to which nothing may be added. What is not there must not appear. */
  watch(...paths: readonly string[]): void {
    for (const path of paths) this.#watched.set(path, stateOf(path));
  }

  /** Secrets in a text, also where it was turned around, or is told in hexadecimal or base64. */
  seenIn(text: string): readonly Finding[] {
    return [...this.#secrets]
      .filter(([, value]) => disguises(value).some((form) => text.includes(form)))
      .map(([label]) => ({ harm: 'secret', what: `the value of ${label} was seen` }));
  }

  /** What is not as it was; it counts once. */
  changes(): readonly Finding[] {
    return [...this.#watched].flatMap(([path, before]) => {
      const now = stateOf(path);
      if (now === before) return [];
      this.#watched.set(path, now);
      return [{ harm: 'escaped' as const, what: `${path} was ${before}, and is ${now}` }];
    });
  }
}

function disguises(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  // The letters of base64 depend on where the value begins; its inside is the same in each of the three cases.
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [value, [...value].reverse().join(''), bytes.toString('hex'), ...base64];
}

function stateOf(path: string): string {
  try {
    const stats = lstatSync(path);
    if (stats.isDirectory()) return `a folder of ${readdirSync(path).sort().join(' ')}`;
    const known = `${(stats.mode & 0o7777).toString(8)} ${stats.uid} ${stats.size} ${stats.mtimeMs}`;
    if (!stats.isFile() || stats.size > MAX_HASHED_BYTES) return known;
    return `${known} ${createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'not there' : `closed (${code})`;
  }
}
