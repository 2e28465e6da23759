/** LangGraph with its Postgres checkpointer: each step of a graph is a checkpoint of its whole state. */
import { gaps, median } from '../report/statistics.js';
import { POOL_SIZE, RESULT, stepWorks, Stretch, type PeerKind, type Works } from './peer.js';

interface Message {
  readonly role: string;
  readonly text: string;
}

interface State {
  readonly left: number;
  readonly result: string;
  readonly messages: readonly Message[];
}

type Node = (state: State) => Promise<Partial<State>>;

interface RunOptions {
  readonly configurable: { readonly thread_id: string };
  readonly recursionLimit: number;
  /** As durable as ours: each step waits for its checkpoint. */
  readonly durability: 'sync';
}

interface Graph {
  invoke(input: Partial<State> | null, options: RunOptions): Promise<State>;
  updateState(options: RunOptions, values: Partial<State>, asNode: string): Promise<unknown>;
}

interface GraphBuilder {
  addNode(name: string, node: Node): GraphBuilder;
  addEdge(from: string, to: string): GraphBuilder;
  addConditionalEdges(from: string, next: (state: State) => string): GraphBuilder;
  compile(options: { readonly checkpointer: unknown }): Graph;
}

interface LangGraph {
  readonly START: string;
  readonly END: string;
  readonly StateGraph: new (annotation: unknown) => GraphBuilder;
  readonly Annotation: {
    (): unknown;
    <T>(channel: { reducer: (a: T, b: T) => T; default: () => T }): unknown;
    Root(channels: Readonly<Record<keyof State, unknown>>): unknown;
  };
}

interface Checkpoints {
  readonly PostgresSaver: new (pool: unknown) => { setup(): Promise<void> };
}

interface Pg {
  readonly Pool: new (options: { readonly connectionString: string; readonly max: number }) => unknown;
}

export const langGraph: PeerKind = {
  title: 'LangGraph',
  package: '@langchain/langgraph',
  unequal: {
    serialSteps:
      'a step is a checkpoint of the state (here one result, no history), written before the next begins.',
    parallelSteps:
      'a step is a checkpoint of the state (here one result, no history), written before the next begins.',
    growth:
      'a turn is two steps that add a message of 0.8 kB each; every checkpoint stores all messages again.',
    resume:
      'its state is one checkpoint without history, behind no fence; in a new process, whose code is not compiled yet.',
  },
  open: async (load, databaseUrl) => {
    const { PostgresSaver } = load<Checkpoints>('@langchain/langgraph-checkpoint-postgres');
    const { Pool } = load<Pg>('pg');
    const saver = new PostgresSaver(new Pool({ connectionString: databaseUrl, max: POOL_SIZE }));
    await saver.setup();
    return openGraphs(load<LangGraph>('@langchain/langgraph'), saver);
  },
};

function openGraphs(lib: LangGraph, checkpointer: unknown): Works {
  const noops = noopGraph(lib, checkpointer);
  const stretch = new Stretch();
  const stuck = stuckGraph(lib, checkpointer, stretch);
  return {
    ...stepWorks((count) => noops.invoke({ left: count }, options())),
    growth: async (many = 1, few = 0, count = 1) => {
      const early = await turnsAfter(lib, checkpointer, few, count);
      return [median(await turnsAfter(lib, checkpointer, many, count)) / median(early)];
    },
    stopAt: async (count = 1) => {
      void stuck.invoke({ left: count }, options(STUCK)).catch(reportAndEnd);
      await stretch.ms;
      return [];
    },
    resume: async () => {
      stretch.begin();
      void stuck.invoke(null, options(STUCK)).catch(reportAndEnd);
      return [await stretch.ms];
    },
  };
}

const STUCK = 'stuck';
let threads = 0;

function options(thread = `${process.pid}-${(threads += 1)}`): RunOptions {
  return { configurable: { thread_id: thread }, recursionLimit: 1_000_000, durability: 'sync' };
}

/** It would have gone on for ever: an end is a fault of the bench. */
function reportAndEnd(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}

function state({ Annotation }: LangGraph): unknown {
  return Annotation.Root({
    left: Annotation(),
    result: Annotation(),
    messages: Annotation<readonly Message[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  });
}

function noopGraph(lib: LangGraph, checkpointer: unknown): Graph {
  return new lib.StateGraph(state(lib))
    .addNode('noop', ({ left }) => Promise.resolve({ left: left - 1, result: RESULT }))
    .addEdge(lib.START, 'noop')
    .addConditionalEdges('noop', ({ left }) => (left > 0 ? 'noop' : lib.END))
    .compile({ checkpointer });
}

/** No-ops that come to a step without an end. */
function stuckGraph(lib: LangGraph, checkpointer: unknown, stretch: Stretch): Graph {
  return new lib.StateGraph(state(lib))
    .addNode('noop', async ({ left }) => {
      if (left > 0) return { left: left - 1, result: RESULT };
      stretch.end();
      return new Promise(() => undefined);
    })
    .addEdge(lib.START, 'noop')
    .addEdge('noop', 'noop')
    .compile({ checkpointer });
}

/** An agent and its tool, in turns, with `stored` turns of messages in the state already. Gives the ms of each turn. */
async function turnsAfter(
  lib: LangGraph,
  checkpointer: unknown,
  stored: number,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  const message = (role: string): Message => ({ role, text: RESULT });
  const graph = new lib.StateGraph(state(lib))
    .addNode('agent', ({ left }) => {
      times.push(performance.now());
      return Promise.resolve({ left: left - 1, messages: [message('assistant')] });
    })
    .addNode('tool', () => Promise.resolve({ messages: [message('tool')] }))
    .addEdge(lib.START, 'agent')
    .addEdge('agent', 'tool')
    .addConditionalEdges('tool', ({ left }) => (left > 0 ? 'agent' : lib.END))
    .compile({ checkpointer });
  const thread = options();
  const history = Array.from({ length: stored }, () => [message('assistant'), message('tool')]).flat();
  await graph.updateState(thread, { left: count, messages: history }, lib.START);
  await graph.invoke(null, thread);
  times.push(performance.now());
  return gaps(times);
}
