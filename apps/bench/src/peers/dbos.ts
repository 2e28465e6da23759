/** DBOS: workflows whose steps are rows of Postgres, executed in the process that starts them, or by a queue that is polled. */
import { Arrivals } from '../lab/arrivals.js';
import {
  CALL_BESIDE_HTTP,
  PAYLOAD,
  POOL_SIZE,
  RESULT,
  stepWorks,
  Stretch,
  submitWorks,
  type PeerKind,
  type Works,
} from './peer.js';

interface Handle<T> {
  readonly workflowID: string;
  getResult(): Promise<T>;
}

interface Dbos {
  setConfig(config: Readonly<Record<string, unknown>>): void;
  launch(): Promise<void>;
  registerQueue(name: string): Promise<unknown>;
  registerWorkflow<A extends unknown[], T>(
    work: (...args: A) => Promise<T>,
    options: { name: string },
  ): (...args: A) => Promise<T>;
  startWorkflow<A extends unknown[], T>(
    work: (...args: A) => Promise<T>,
    options?: { queueName?: string; workflowID?: string },
  ): (...args: A) => Promise<Handle<T>>;
  recv(topic: string, timeoutSeconds: number): Promise<unknown>;
  send(workflowId: string, message: string, topic: string): Promise<void>;
  runStep<T>(work: () => Promise<T>, options: { name: string }): Promise<T>;
}

const TOPIC = 'answer';
const STEP =
  'a step is one row with its result; no history, account, usage, events or fence against a second executor.';

export const dbos: PeerKind = {
  title: 'DBOS',
  package: '@dbos-inc/dbos-sdk',
  unequal: {
    serialSteps: STEP,
    parallelSteps: STEP,
    submitRate: CALL_BESIDE_HTTP,
    submits: CALL_BESIDE_HTTP,
    starts: 'it starts in the process that submits, without a queue; ours passes two processes.',
    queuedStarts: 'its queue is polled once a second (its default); the worker is the process that submits.',
    family:
      "children start in the parent's process, without a queue or slots; a child is one row and one step.",
    waitingKib: 'a workflow that waits is a promise in its process; ours are rows alone.',
    wakes: 'the workflow never left its process: nothing is claimed or loaded. 1,000 of them wait.',
    resume:
      'from the start of the recovered workflow, the look for it left out; in a new process, whose code is not compiled yet.',
  },
  open: async (load, databaseUrl) => {
    const { DBOS } = load<{ DBOS: Dbos }>('@dbos-inc/dbos-sdk');
    return openDbos(DBOS, databaseUrl);
  },
};

async function openDbos(DBOS: Dbos, databaseUrl: string): Promise<Works> {
  const step = (name: string) => DBOS.runStep(() => Promise.resolve(RESULT), { name });
  const idleStarts = new Arrivals();
  const woken = new Arrivals();
  const resumed = new Stretch();
  const steps = DBOS.registerWorkflow(
    async (count: number) => {
      for (let n = 0; n < count; n += 1) await step('noop');
      return count;
    },
    { name: 'steps' },
  );
  const idle = DBOS.registerWorkflow(
    (_payload: typeof PAYLOAD) => {
      idleStarts.arrived();
      return Promise.resolve();
    },
    { name: 'idle' },
  );
  const child = DBOS.registerWorkflow(() => step('answer'), { name: 'child' });
  const parent = DBOS.registerWorkflow(
    async (children: number) => {
      const handles: Handle<string>[] = [];
      // The order of starts is part of what is replayed.
      for (let n = 0; n < children; n += 1) handles.push(await DBOS.startWorkflow(child)());
      await Promise.all(handles.map((handle) => handle.getResult()));
    },
    { name: 'parent' },
  );
  const stuck = DBOS.registerWorkflow(
    async (count: number) => {
      resumed.begin();
      for (let n = 0; n < count; n += 1) await step('noop');
      resumed.end();
      await new Promise(() => undefined);
    },
    { name: 'stuck' },
  );
  const waiting = DBOS.registerWorkflow(
    async () => {
      await DBOS.recv(TOPIC, 3_600);
      woken.arrived();
    },
    { name: 'waiting' },
  );
  const waits: string[] = [];
  await launch(DBOS, databaseUrl);
  const run = async (count: number) => (await DBOS.startWorkflow(steps)(count)).getResult();
  const submit = () => DBOS.startWorkflow(idle, { queueName: 'kept' })(PAYLOAD);
  return {
    ...stepWorks(run),
    ...submitWorks(submit),
    starts: (count = 1) => idleStarts.after(() => DBOS.startWorkflow(idle)(PAYLOAD), count),
    queuedStarts: (count = 1) =>
      idleStarts.after(() => DBOS.startWorkflow(idle, { queueName: 'listened' })(PAYLOAD), count),
    family: async (children = 1) => {
      const begin = performance.now();
      await (await DBOS.startWorkflow(parent)(children)).getResult();
      return [performance.now() - begin];
    },
    waitingKib: async (count = 1) => {
      const before = heapUsed();
      for (let n = 0; n < count; n += 1) waits.push((await DBOS.startWorkflow(waiting)()).workflowID);
      return [(heapUsed() - before) / 1_024 / count];
    },
    wakes: (count = 1) => woken.after(() => DBOS.send(waits.pop() ?? '', 'Go on.', TOPIC), count),
    stopAt: async (count = 1) => {
      await DBOS.startWorkflow(stuck)(count);
      await resumed.ms;
      return [];
    },
    // Its recovery begins with the launch.
    resume: async () => [await resumed.ms],
  };
}

async function launch(DBOS: Dbos, databaseUrl: string): Promise<void> {
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: databaseUrl,
    systemDatabasePoolSize: POOL_SIZE,
    logLevel: 'error',
    // Submits to the other queue stay where they are.
    listenQueues: ['listened'],
  });
  await DBOS.launch();
  await DBOS.registerQueue('listened');
  await DBOS.registerQueue('kept');
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
