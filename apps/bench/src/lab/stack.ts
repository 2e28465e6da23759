/** A deployment as people run it: a gateway, workers and a simulated model, on one database and one queue. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startModelSim, type ModelSim, type Scenario, type Speed } from '@bullpen/model-sim';
import type { Backend } from '../report/measure.js';
import type { Database } from './database.js';
import { prefixOf, type Lab } from './lab.js';
import { startNode, type NodeProcess } from './node-process.js';

export interface StackOptions {
  readonly backend: Backend;
  readonly workers: number;
  /** The caller's, who drops it; none: one of its own. */
  readonly database?: Database;
  /** Settings on top of the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What the model answers; none: no model, and no worker should need it. */
  readonly scenario?: Scenario;
  /** @defaultValue 'max': the model's own time is not what is measured */
  readonly speed?: Speed;
  /** Texts of files in the installation's folder for extensions, by their paths in it. */
  readonly extensions?: Readonly<Record<string, string>>;
}

export interface Stack {
  readonly database: Database;
  readonly url: string;
  readonly key: string;
  readonly gateway: NodeProcess;
  readonly workers: readonly NodeProcess[];
  stop(): Promise<void>;
}

const GATEWAY = new URL('../../../gateway/dist/main.js', import.meta.url);
const WORKER = new URL('../../../worker/dist/main.js', import.meta.url);
/** What a process is started with (`--import`) so that it says what it takes. */
export const PROBE = new URL('../../dist/lab/probe-process.js', import.meta.url);

/** Starts all of it. Workers carry the probe (see `probe-process.ts`). */
export async function startStack(lab: Lab, options: StackOptions): Promise<Stack> {
  const database = options.database ?? (await lab.database(5));
  const drop = options.database === undefined ? () => database.drop() : () => Promise.resolve();
  const home = join(lab.folder, 'stacks', prefixOf(database));
  await mkdir(home, { recursive: true });
  await writeExtensions(join(home, 'extensions'), options.extensions ?? {});
  const sim = await simOf(options);
  const env = envOf(lab, options, database, home, sim);
  const running: NodeProcess[] = [];
  try {
    const gateway = await startNode<{ type: 'listening'; port: number }>({
      entry: GATEWAY,
      execArgv: lab.nodeOptions,
      env,
      log: join(home, 'gateway.log'),
      ready: 'listening',
    });
    running.push(gateway);
    for (let n = 1; n <= options.workers; n += 1)
      running.push(
        await startNode({
          entry: WORKER,
          execArgv: [...lab.nodeOptions, '--expose-gc', '--import', PROBE.href],
          env,
          log: join(home, `worker-${n}.log`),
          ready: 'ready',
        }),
      );
    return {
      database,
      url: `http://127.0.0.1:${gateway.started.port}`,
      key: (await readFile(join(home, 'key'), 'utf8')).trim(),
      gateway,
      workers: running.slice(1),
      stop: () => stopAll(running, sim, drop),
    };
  } catch (error) {
    await stopAll(running, sim, drop);
    throw error;
  }
}

async function writeExtensions(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

async function simOf({ scenario, speed = 'max' }: StackOptions): Promise<ModelSim | null> {
  return scenario === undefined ? null : startModelSim({ scenarios: [scenario], speed });
}

function envOf(
  lab: Lab,
  { backend, settings }: StackOptions,
  database: Database,
  home: string,
  sim: ModelSim | null,
): Record<string, string> {
  const queue = lab.connection(backend, database);
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    DATABASE_URL: database.url,
    BULLPEN_HOME: home,
    PORT: '0',
    MODEL_SIMULATED: 'true',
    ...(queue.kind === 'redis' ? { REDIS_URL: queue.redisUrl, QUEUE_PREFIX: queue.prefix } : {}),
    ...(sim === null ? {} : { ANTHROPIC_BASE_URL: sim.url }),
    ...settings,
  };
}

async function stopAll(running: readonly NodeProcess[], sim: ModelSim | null, drop: () => Promise<void>) {
  // Workers before the gateway, and both before what they need.
  await Promise.all(running.slice(1).map((worker) => worker.stop()));
  await running[0]?.stop();
  await sim?.close();
  await drop();
}
