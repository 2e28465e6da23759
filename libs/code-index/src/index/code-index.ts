/**
 * The index of one workspace. It is brought up to the files on disk before each answer, so it never tells of what is not there any more: what
 * changed is seen by inode, size and times, and read again only where its content is new.
 */
import type { FileFacts } from '../facts/facts.js';
import type { Language } from '../languages/language.js';
import { Calls } from '../link/calls.js';
import { Evaluator } from '../link/evaluate.js';
import { Imports } from '../link/imports.js';
import { Modules } from '../link/modules.js';
import { Program, type IndexedFile } from '../link/program.js';
import type { FactsStore } from './facts-store.js';
import { decode, isGenerated, readListed } from './file-text.js';
import type { ParsePool } from './parse-pool.js';
import { scan, type ScannedFile } from './scan.js';

export interface IndexDeps {
  readonly pool: ParsePool;
  /** Facts of contents that were read before; null keeps none. */
  readonly store: FactsStore | null;
}

/** What a refresh did. */
export interface Refreshed {
  readonly files: number;
  /** Files whose content is new. */
  readonly read: number;
  readonly removed: number;
}

interface Known {
  readonly stamp: string;
  readonly hash: string;
}

/** The view of all files at one moment. */
export interface View {
  readonly program: Program;
  readonly calls: Calls;
  readonly imports: Imports;
  /** Files that a program made: they come last. */
  readonly generated: ReadonlySet<string>;
  /** Files that are left out, and why. */
  readonly skipped: ReadonlyMap<string, string>;
}

export class CodeIndex {
  private readonly program = new Program();
  private readonly known = new Map<string, Known>();
  private readonly settings = new Map<string, unknown>();
  private readonly skipped = new Map<string, string>();
  private readonly generated = new Set<string>();
  private refreshing: Promise<unknown> = Promise.resolve();
  /** What was worked out holds until a file changes. */
  private current: View | null = null;
  /** How modules are found holds until a file comes or goes, or a setting changes. */
  private modules: Modules | null = null;

  constructor(
    private readonly root: string,
    private readonly deps: IndexDeps,
  ) {}

  /** Brings the index up to the files on disk, one at a time. Throws the signal's reason when it is aborted. */
  refresh(signal: AbortSignal): Promise<Refreshed> {
    const next = this.refreshing.then(() => this.refreshNow(signal));
    this.refreshing = next.catch(() => undefined); // The caller sees it; the next refresh must still run.
    return next;
  }

  /** What is known now. */
  view(): View {
    return (this.current ??= this.makeView());
  }

  private makeView(): View {
    const evaluator = new Evaluator(this.program, (this.modules ??= this.makeModules()));
    const { program, generated, skipped } = this;
    const calls = new Calls(program, evaluator);
    return { program, calls, imports: new Imports(program, evaluator), generated, skipped };
  }

  private makeModules(): Modules {
    const kind = (pattern: RegExp) => new Map([...this.settings].filter(([path]) => pattern.test(path)));
    return new Modules(this.program, {
      configs: kind(/[tj]sconfig[^/]*\.json$/),
      packages: kind(/package\.json$/),
    });
  }

  private async refreshNow(signal: AbortSignal): Promise<Refreshed> {
    const files = await scan(this.root, signal);
    const paths = new Set(files.map(({ path }) => path));
    const gone = [...this.known.keys()].filter((path) => !paths.has(path));
    for (const path of gone) this.forget(path);
    const changed = files.filter(({ path, stamp }) => this.known.get(path)?.stamp !== stamp);
    // Many at once, so that all threads have work, but not all texts of a large tree in memory.
    const queue = changed.values();
    let read = 0;
    const work = async () => {
      for (const file of queue) {
        signal.throwIfAborted();
        if (await this.take(file)) read += 1;
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    if (changed.length > 0) await this.deps.store?.save();
    return { files: this.program.size, read, removed: gone.length };
  }

  private forget(path: string): void {
    for (const about of [this.known, this.settings, this.skipped]) about.delete(path);
    this.generated.delete(path);
    this.show(path, null);
  }

  /** The facts of a file, for all who ask from now on. Those that it had are seen until then. */
  private show(path: string, file: IndexedFile | null): void {
    const wasThere = this.program.file(path) !== null;
    if (file !== null) this.program.set(file);
    else this.program.delete(path);
    if (wasThere !== (file !== null)) this.modules = null;
    this.current = null;
  }

  /** Takes a file in. True when its content was not known. */
  private async take(file: ScannedFile): Promise<boolean> {
    const { path, stamp, language } = file;
    const bytes = await readListed(this.root, path);
    if (typeof bytes === 'string') return this.leaveOut(file, bytes);
    const decoded = decode(bytes);
    if (typeof decoded === 'string') return this.leaveOut(file, decoded);
    const { text, hash } = decoded;
    if (this.known.get(path)?.hash === hash) {
      this.known.set(path, { stamp, hash });
      return false;
    }
    this.known.set(path, { stamp, hash });
    if (language === null) this.setSettings(path, text);
    else await this.readFacts(path, language, decoded);
    return true;
  }

  private setSettings(path: string, text: string): void {
    this.settings.set(path, jsonOf(text));
    this.skipped.delete(path);
    this.modules = null;
    this.current = null;
  }

  private async readFacts(
    path: string,
    language: Language,
    { text, hash }: { readonly text: string; readonly hash: string },
  ): Promise<void> {
    const kept = await this.deps.store?.get(language, hash);
    const facts: FileFacts | string = kept ?? (await this.deps.pool.read(language, text));
    this.generated.delete(path);
    this.skipped.delete(path);
    if (typeof facts === 'string') this.skipped.set(path, facts);
    else {
      if (isGenerated(text)) this.generated.add(path);
      if (kept === undefined) this.deps.store?.put(language, hash, facts);
    }
    this.show(path, typeof facts === 'string' ? null : { path, language, facts });
  }

  private leaveOut({ path, stamp }: ScannedFile, why: string): boolean {
    this.forget(path);
    this.known.set(path, { stamp, hash: '' });
    this.skipped.set(path, why);
    return true;
  }
}

/** Settings may have comments and commas at the end; one that cannot be read says nothing. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      const plain = text.replaceAll(
        /("(?:\\.|[^"\\\n])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
        (_all, quoted: string | undefined) => quoted ?? ' ',
      );
      return JSON.parse(plain.replaceAll(/,(?=\s*[}\]])/g, ''));
    } catch {
      return null;
    }
  }
}
