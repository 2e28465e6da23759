/** graphile-worker: a job queue in Postgres whose workers are told by NOTIFY. */
import { Arrivals } from '../lab/arrivals.js';
import { CALL_BESIDE_HTTP, PAYLOAD, POOL_SIZE, submitWorks, type PeerKind } from './peer.js';

interface Runner {
  addJob(task: string, payload: object): Promise<unknown>;
}

interface GraphileWorker {
  run(options: {
    readonly connectionString: string;
    readonly maxPoolSize: number;
    readonly concurrency: number;
    readonly noHandleSignals: boolean;
    readonly logger: unknown;
    readonly taskList: Readonly<Record<string, () => Promise<void>>>;
  }): Promise<Runner>;
  readonly Logger: new (factory: () => () => void) => unknown;
}

export const graphileWorker: PeerKind = {
  title: 'graphile-worker',
  package: 'graphile-worker',
  unequal: {
    submitRate: CALL_BESIDE_HTTP,
    submits: CALL_BESIDE_HTTP,
    starts: 'one hop: the worker is in the process that submits, and hears of the job from Postgres.',
  },
  open: async (load, databaseUrl) => {
    const { run, Logger } = load<GraphileWorker>('graphile-worker');
    const starts = new Arrivals();
    const runner = await run({
      connectionString: databaseUrl,
      maxPoolSize: POOL_SIZE,
      concurrency: 16,
      noHandleSignals: true,
      logger: new Logger(() => () => undefined),
      taskList: {
        worked: () => {
          starts.arrived();
          return Promise.resolve();
        },
      },
    });
    // Nobody takes this one: no task has its name.
    const submit = () => runner.addJob('kept', PAYLOAD);
    return {
      ...submitWorks(submit),
      starts: (count = 1) => starts.after(() => runner.addJob('worked', PAYLOAD), count),
    };
  },
};
