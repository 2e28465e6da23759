/** The objects of checkpoints, for what needs more than their rows. Each use has a folder of its own, which goes when it is over. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Checkpoints, GitFailed, ObjectsMissing, packStoreAt } from '@bullpen/checkpoints';
import { AppError } from '@bullpen/contracts';
import type { PackStore } from '@bullpen/core';
import { PostgresPackStore } from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { POOL, SETTINGS, type GatewaySettings, type Pool } from '../http/tokens.js';

/** What another tree has stored, brought to the same place. */
type OfTree = (rootId: string) => Checkpoints;

@Injectable()
export class CheckpointObjects {
  readonly #packs: PackStore;

  constructor(@Inject(POOL) pool: Pool, @Inject(SETTINGS) { CHECKPOINT_STORE: place }: GatewaySettings) {
    this.#packs = packStoreAt(place, () => new PostgresPackStore(pool));
  }

  /** Throws `checkpoint_unavailable`. */
  async use<T>(rootId: string, work: (checkpoints: Checkpoints, ofTree: OfTree) => Promise<T>): Promise<T> {
    const folder = await mkdtemp(join(tmpdir(), 'bullpen-objects-'));
    try {
      const ofTree = (id: string): Checkpoints => this.#checkpoints(folder, id);
      return await work(ofTree(rootId), ofTree);
    } catch (error) {
      throw told(error);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The pieces as a stream, which has begun: what fails before the first one is still thrown. */
  async stream(
    rootId: string,
    pieces: (checkpoints: Checkpoints, signal: AbortSignal, ofTree: OfTree) => AsyncIterable<Buffer>,
  ): Promise<Readable> {
    const folder = await mkdtemp(join(tmpdir(), 'bullpen-objects-'));
    const over = new AbortController();
    const end = async (): Promise<void> => {
      over.abort();
      await rm(folder, { recursive: true, force: true });
    };
    const ofTree = (id: string): Checkpoints => this.#checkpoints(folder, id);
    const all = pieces(ofTree(rootId), over.signal, ofTree)[Symbol.asyncIterator]();
    try {
      const first = await all.next();
      return Readable.from(following(first, all, end), { objectMode: false });
    } catch (error) {
      await end();
      throw told(error);
    }
  }

  #checkpoints(folder: string, line: string): Checkpoints {
    const nowhere = { workspace: join(folder, 'none'), coverage: {}, owner: null };
    return new Checkpoints({
      shadow: { folder: join(folder, 'store') },
      line,
      packs: this.#packs,
      ...nowhere,
    });
  }
}

async function* following(
  first: IteratorResult<Buffer, unknown>,
  rest: AsyncIterator<Buffer>,
  end: () => Promise<void>,
): AsyncGenerator<Buffer> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await end();
  }
}

function told(error: unknown): unknown {
  if (error instanceof ObjectsMissing)
    return new AppError('checkpoint_unavailable', `${error.message}.`, { cause: error });
  if (!(error instanceof GitFailed) || !error.isMissing) return error;
  const message =
    'The gateway finds no git program, which reads what is stored of files: install git on its machine.';
  return new AppError('checkpoint_unavailable', message, { cause: error });
}
