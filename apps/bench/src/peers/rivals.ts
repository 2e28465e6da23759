/** The peers of one figure, each in a process and on a database of its own. One that cannot be had is a line that says why. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '@bullpen/contracts';
import type { Lab } from '../lab/lab.js';
import { startNode, type NodeProcess } from '../lab/node-process.js';
import { measure, type Goal, type Measure, type Measured, type Peer } from '../report/measure.js';
import { PEERS, type PeerName } from './kinds.js';
import type { PeerKind, WorkName } from './peer.js';
import type { WorkAnswer, WorkRequest } from './peer-process.js';

const ENTRY = new URL('../../dist/peers/peer-process.js', import.meta.url);
const PACKAGES = new URL('../../peers/package.json', import.meta.url);
/** A peer that takes longer for one piece of work is left out. */
const WORK_MS = 120_000;

/** Where a peer has two ways to the same end. */
const WAYS: Partial<Record<WorkName, string>> = { queuedStarts: ', through its queue' };

/** Starts those peers, does the work, and stops them whatever happens. */
export async function withRivals<T>(
  lab: Lab,
  names: readonly PeerName[],
  work: (rivals: Rivals) => Promise<T>,
): Promise<T> {
  const rivals = names.map((name) => new Rival(lab, name));
  try {
    for (const rival of rivals) await rival.start();
    return await work(new Rivals(rivals));
  } finally {
    for (const rival of rivals) await rival.close();
  }
}

/** They work one after the other: side by side they would measure each other. */
export class Rivals {
  constructor(private readonly all: readonly Rival[]) {}

  /** Each that can do the work does it, and what it gives is kept. */
  async sample(work: WorkName, ...counts: number[]): Promise<void> {
    for (const rival of this.all) await rival.sample(work, counts);
  }

  /** The same, and nothing is kept. */
  async warmUp(work: WorkName, ...counts: number[]): Promise<void> {
    for (const rival of this.all) await rival.work(work, counts);
  }

  /** kill -9, and a new process on the same database. */
  async restart(): Promise<void> {
    for (const rival of this.all) await rival.restart();
  }

  /** The product's value beside what each of them gave for the work, a line each. */
  beside(
    work: WorkName,
    figure: (samples: readonly number[]) => number,
    measured: Measured,
    goals: Readonly<Partial<Record<PeerName, Goal>>> = {},
  ): Measure[] {
    return this.all.flatMap((rival) => {
      const peer = rival.line(work, figure);
      const goal = goals[rival.name];
      return peer === null ? [] : [measure({ ...measured, peer, ...(goal === undefined ? {} : { goal }) })];
    });
  }
}

class Rival {
  private readonly kind: PeerKind;
  private readonly samples = new Map<WorkName, number[]>();
  private database: Awaited<ReturnType<Lab['emptyDatabase']>> | null = null;
  private process: NodeProcess | null = null;
  /** Why it can do nothing more. */
  private problem: string | null = null;

  constructor(
    private readonly lab: Lab,
    readonly name: PeerName,
  ) {
    this.kind = PEERS[name];
  }

  async start(): Promise<void> {
    await this.guarded(async () => {
      const installed = await this.lab.peers();
      if ('problem' in installed) throw new Error(installed.problem);
      this.database ??= await this.lab.emptyDatabase();
      this.process = await startNode({
        entry: ENTRY,
        execArgv: ['--expose-gc'],
        args: [this.name, installed.folder, this.database.url],
        env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
        log: join(this.lab.folder, `${this.name}.log`),
        ready: 'ready',
      });
    }, undefined);
  }

  async restart(): Promise<void> {
    await this.process?.kill();
    await this.start();
  }

  async sample(work: WorkName, counts: readonly number[]): Promise<void> {
    const given = await this.work(work, counts);
    this.samples.set(work, [...(this.samples.get(work) ?? []), ...given]);
  }

  /** Empty where it does no such work, or can do nothing more. */
  async work(work: WorkName, counts: readonly number[]): Promise<readonly number[]> {
    if (this.problem !== null) return [];
    return this.guarded(async () => {
      const request = { type: 'work', work, counts } satisfies WorkRequest;
      const answer = await this.process?.ask<WorkAnswer>(request, WORK_MS);
      if (answer === undefined || 'problem' in answer) throw new Error(answer?.problem);
      return answer.samples;
    }, []);
  }

  /** Null where it does no such work. */
  line(work: WorkName, figure: (samples: readonly number[]) => number): Peer | null {
    const { title, unequal } = this.kind;
    if (!(work in unequal)) return null;
    const samples = this.samples.get(work) ?? [];
    const value = samples.length === 0 ? null : figure(samples);
    return {
      name: `${title} ${versionOf(this.kind)}${WAYS[work] ?? ''}`,
      value,
      ...(value === null ? { problem: this.problem ?? 'not measured' } : {}),
      unequal: unequal[work],
    };
  }

  async close(): Promise<void> {
    // Nothing of it is needed any more, so nothing has to end in good order.
    await this.process?.kill();
    await this.database?.drop();
  }

  /** A peer that fails is left out from then on: the product's own figures are still worth knowing. */
  private async guarded<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.problem = errorText(error);
      this.lab.say(`${this.kind.title}: ${this.problem}`);
      return otherwise;
    }
  }
}

function versionOf({ package: name }: PeerKind): string {
  const { dependencies } = JSON.parse(readFileSync(PACKAGES, 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  return dependencies[name] ?? '';
}
