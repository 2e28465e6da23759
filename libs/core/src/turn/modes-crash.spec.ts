/** A worker dies anywhere on the way through the modes: mode and history agree, no trigger is fired twice, and none is lost. */
import { describe, expect, it } from '@jest/globals';
import { historyProblems } from '@bullpen/core';
import type { MemoryTask } from '@bullpen/core/testing';
import { aDefinition } from '@bullpen/testing';
import { countingTool, crashAt, World } from '../../test/loop-world.js';
import { SOME_MACHINE } from '../../test/some-modes.js';
import { fires, walkingModel } from '../../test/walking-model.js';
import { modeAfter } from '../decide/modes/fire.js';
import type { Step } from '../ports/store.js';
import { emptyStep } from './draft.js';

const WAY = [
  'idle code_intent implementation',
  'implementation code_complete test',
  'test tests_passed null',
  'test test_failed implementation',
  'implementation code_complete test',
  'test tests_passed idle',
];

function submit() {
  const world = new World();
  const write = countingTool('write', 'write', 'repeat', () => ({ kind: 'result', output: 'written' }), {
    inspect: () => Promise.resolve({ paths: [{ path: 'a.ts', access: 'write', place: 'inside' }] }),
  });
  const run = countingTool(
    'run',
    'execute',
    'repeat',
    (args) => {
      const { failed } = args as { failed: number };
      return { kind: 'result', output: `# pass 1\n# fail ${failed}`, exitCode: failed, isError: failed > 0 };
    },
    { inspect: () => Promise.resolve({ command: 'node --test' }) },
  );
  world.tools.push(write, run);
  const model = walkingModel({
    implementation: (visit) => [
      { name: 'write', input: { path: 'a.ts', visit } },
      fires('code_complete', `Change ${visit}.`),
    ],
    test: (visit) => [
      { name: 'run', input: { failed: visit === 1 ? 1 : 0 } },
      fires('tests_passed', `Run ${visit}.`),
      ...(visit === 1 ? [fires('test_failed', 'One fails.')] : []),
    ],
  });
  world.store.create({
    id: 'task_root',
    prompt: 'Implement it.',
    definition: aDefinition({ tools: ['write', 'run'], machine: SOME_MACHINE }),
  });
  return { world, model, task: world.store.get('task_root') };
}

/** Runs it to its end; whenever a worker dies, the reaper gives the task to the next one. */
async function finish({ world, model, task }: ReturnType<typeof submit>): Promise<void> {
  for (let lives = 0; task.outcome === null && lives < 5; lives += 1) {
    await world.drain(world.deps({ model })).catch(() => undefined);
    if (task.state === 'running') world.store.expire('task_root');
  }
}

function expectWhole(task: MemoryTask): void {
  expect(task.outcome).toMatchObject({ state: 'completed', output: 'Done.' });
  expect(task.transitions.map(({ from, trigger, to }) => `${from} ${trigger} ${to}`)).toEqual(WAY);
  expect(task.transitions.map(({ seq }) => seq)).toEqual(WAY.map((_, at) => at + 1));
  expect(task.record.mode).toBe(modeAfter(task.transitions));
  const told = task.events.flatMap(({ type, data }) =>
    type.startsWith('mode.') ? [(data as { seq: number }).seq] : [],
  );
  expect(told).toEqual(task.transitions.map(({ seq }) => seq));
  const notes = task.messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === 'text' && block.text.startsWith('Mode: ') ? [block.text.split('\n', 1)[0]] : [],
    ),
  );
  // Told once, however often the work was taken up; the prompt asks for a mode at once, so nobody hears of idle at the start.
  expect(notes).toEqual([
    'Mode: implementation (step 1)',
    'Mode: test (step 2)',
    'Mode: implementation (step 4)',
    'Mode: test (step 5)',
    'Mode: idle (step 6)',
  ]);
  expect(historyProblems(task.messages.slice(0, -1))).toEqual([]);
}

describe('a worker dies on the way through the modes', () => {
  it('at any commit, and the next one goes on as if nothing had happened', async () => {
    const undisturbed = submit();
    const moves = movesOf(undisturbed);
    await finish(undisturbed);
    expectWhole(undisturbed.task);
    const { commits, transitions } = moves();
    expect(transitions).toHaveLength(WAY.length);
    const points = [
      ...Array.from({ length: commits }, (_, at) => [at + 1, 'before'] as const),
      ...transitions.map((at) => [at, 'after'] as const),
    ];
    for (const [at, when] of points) {
      const stage = submit();
      crashAt(stage.world.store, at, when);
      await finish(stage);
      expectWhole(stage.task);
    }
  });
});

describe('the sweep notices a planted bug', () => {
  /** The first place of a crash at which the task does not come out whole; null: none. */
  async function caught(plant: (world: World, task: MemoryTask) => void): Promise<number | null> {
    for (let at = 1; at <= 40; at += 1) {
      const stage = submit();
      plant(stage.world, stage.task);
      crashAt(stage.world.store, at, 'before');
      await finish(stage);
      try {
        expectWhole(stage.task);
      } catch {
        return at;
      }
    }
    return null;
  }

  it('that stores the trigger after the result of its call', async () => {
    const planted = await caught(({ store }) => {
      const commit = store.commit.bind(store);
      let late: Step | null = null;
      store.commit = async (lease, step) => {
        if (late !== null) await commit(lease, late);
        late = step.transition === null ? null : { ...emptyStep(), transition: step.transition };
        const result = await commit(lease, { ...step, transition: null });
        return late === null || result.kind !== 'committed'
          ? result
          : { ...result, modeSeq: late.transition?.seq ?? 0 };
      };
    });
    expect(planted).not.toBeNull();
  });

  it('that stores a trigger without moving the mode', async () => {
    const planted = await caught(({ store }, task) => {
      const commit = store.commit.bind(store);
      store.commit = async (lease, step) => {
        const before = task.record.mode;
        const result = await commit(lease, step);
        task.record.mode = before;
        return result;
      };
    });
    expect(planted).not.toBeNull();
  });

  it('that lets two triggers have the same number', async () => {
    const planted = await caught(({ store }, task) => {
      const commit = store.commit.bind(store);
      store.commit = async (lease, step) => {
        const result = await commit(lease, step);
        if (step.transition?.trigger === 'test_failed') task.transitions.push(step.transition);
        return result;
      };
    });
    expect(planted).not.toBeNull();
  });
});

/** How many commits there are, and which of them hold a transition. */
function movesOf({ world: { store } }: ReturnType<typeof submit>) {
  const commit = store.commit.bind(store);
  const transitions: number[] = [];
  let commits = 0;
  store.commit = (lease, step) => {
    commits += 1;
    if (step.transition !== null) transitions.push(commits);
    return commit(lease, step);
  };
  return () => ({ commits, transitions });
}
