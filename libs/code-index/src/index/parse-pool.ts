/** A few threads that parse files. They are started when there is work, and end when there was none for a while. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FileFacts } from '../facts/facts.js';
import type { Language } from '../languages/language.js';
import type { ParseAnswer, ParseOrder } from './parse-thread.js';

const IDLE_MS = 20_000;
const MOST_THREADS = 4;

interface Waiting {
  readonly order: ParseOrder;
  readonly resolve: (facts: FileFacts | string) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
}

export class ParsePool {
  private readonly threads: Thread[] = [];
  private idle: NodeJS.Timeout | undefined;
  private made = 0;

  /** The facts of a text, or why there are none. Never throws: a thread that dies costs the files that it had. */
  read(language: Language, text: string): Promise<FileFacts | string> {
    clearTimeout(this.idle);
    const thread = this.freest();
    this.made += 1;
    const order = { id: this.made, language, text };
    return new Promise((resolve) => {
      thread.waiting.set(order.id, { order, resolve });
      thread.worker.postMessage(order);
    });
  }

  /** Ends the threads; what still waits gets a reason. */
  async close(): Promise<void> {
    clearTimeout(this.idle);
    await Promise.all(this.threads.map(({ worker }) => worker.terminate()));
  }

  private freest(): Thread {
    const busyFirst = [...this.threads].sort((a, b) => a.waiting.size - b.waiting.size);
    const [least] = busyFirst;
    const most = Math.min(MOST_THREADS, availableParallelism());
    if (least !== undefined && (least.waiting.size === 0 || this.threads.length >= most)) return least;
    return this.start();
  }

  private start(): Thread {
    const worker = new Worker(threadFile());
    // Waiting for files keeps no process alive.
    worker.unref();
    const thread: Thread = { worker, waiting: new Map() };
    this.threads.push(thread);
    worker.on('message', ({ id, facts }: ParseAnswer) => this.take(thread, id, facts));
    worker.on('error', (error) => this.lose(thread, `the parser failed: ${error.message}`));
    worker.on('exit', () => this.lose(thread, 'the parser ended'));
    return thread;
  }

  private take(thread: Thread, id: number, facts: FileFacts | string): void {
    thread.waiting.get(id)?.resolve(facts);
    thread.waiting.delete(id);
    if (this.threads.some(({ waiting }) => waiting.size > 0)) return;
    this.idle = setTimeout(() => void this.close(), IDLE_MS).unref();
  }

  private lose(thread: Thread, why: string): void {
    const at = this.threads.indexOf(thread);
    if (at >= 0) this.threads.splice(at, 1);
    for (const { resolve } of thread.waiting.values()) resolve(why);
    thread.waiting.clear();
  }
}

/** Beside this module where it is compiled; specs run from the sources. */
function threadFile(): URL {
  const here = new URL('./parse-thread.js', import.meta.url);
  return existsSync(fileURLToPath(here))
    ? here
    : new URL('../../dist/index/parse-thread.js', import.meta.url);
}
