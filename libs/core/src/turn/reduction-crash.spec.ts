/** A worker dies in the middle of making a conversation shorter: another one goes on from what is stored, and nothing is paid twice. */
import { describe, expect, it } from '@jest/globals';
import { historyProblems, type StoredMessage } from '@bullpen/core';
import type { MemoryTask } from '@bullpen/core/testing';
import { crashAt, World } from '../../test/loop-world.js';
import { PROFILE, SUMMARY, TalkingModel, WORDS } from '../../test/talking-model.js';
import { effectiveHistory } from '../context/effective-history.js';

const TURNS = 16;

/** The same answers whichever worker asks: what is said depends on what has been said. */
function steady(summary: string, overflowAt = 0): TalkingModel {
  let refused = 0;
  const model: TalkingModel = new TalkingModel(({ messages }, isSummary) => {
    if (isSummary) return { text: summary };
    const said = /"part":(\d+)/g;
    const parts = [...JSON.stringify(messages).matchAll(said)].map(([, part]) => Number(part));
    const part = Math.max(0, ...parts) + 1;
    if (part === overflowAt && (refused += 1) <= 1)
      return { error: { class: 'context', message: 'prompt is too long' } };
    return part > TURNS
      ? { text: 'Done.' }
      : { reasoning: `thought ${part}`, toolCalls: [{ id: `toolu_${part}`, name: 'read', input: { part } }] };
  });
  return model;
}

function submit(summary: string, overflowAt: number) {
  const world = new World();
  world.read.run = () => ({ kind: 'result', output: WORDS.repeat(40) });
  const contextWindow = overflowAt > 0 ? 200_000 : PROFILE.contextWindow;
  const task = world.submit({ profiles: [{ ...PROFILE, contextWindow }], maxOutputTokens: 1_000 });
  return { world, task, model: steady(summary, overflowAt) };
}

/** Runs it to its end; whenever a worker dies, the reaper gives the task to the next one. */
async function finish({ world, task, model }: ReturnType<typeof submit>): Promise<void> {
  for (let lives = 0; task.outcome === null && lives < 5; lives += 1) {
    await world.drain(world.deps({ model })).catch(() => undefined);
    if (task.state === 'running') world.store.expire('task_root');
  }
}

/** The commits of an undisturbed run, by what they are about. */
async function commitsOf(summary: string, overflowAt: number): Promise<readonly number[]> {
  const stage = submit(summary, overflowAt);
  const commit = stage.world.store.commit.bind(stage.world.store);
  const found: number[] = [];
  let count = 0;
  stage.world.store.commit = (lease, step) => {
    count += 1;
    const isAboutIt =
      step.modelCalls.some(({ phase, errorClass }) => phase === 'condense' || errorClass === 'context') ||
      step.messages.some(({ reduction }) => reduction !== undefined);
    if (isAboutIt) found.push(count, count + 1);
    return commit(lease, step);
  };
  await finish(stage);
  expect(stage.task.outcome?.state).toBe('completed');
  return [...new Set(found)];
}

function expectWhole(task: MemoryTask, world: World): void {
  expect(task.outcome).toMatchObject({ state: 'completed', output: 'Done.' });
  const calls = [...task.modelCalls.values()];
  const written = calls
    .filter(({ phase, status }) => phase === 'condense' && status === 'done')
    .map(({ id }) => id);
  const rows = task.messages.flatMap(({ reduction }) => reduction?.modelCallId ?? []);
  expect(rows).toEqual(written);
  expect(calls.filter(({ status }) => status === 'started')).toEqual([]);
  expect(new Set(task.usage.map(({ modelCallId }) => modelCallId)).size).toBe(task.usage.length);
  expect(world.store.account('task_root').reserved).toBe(0n);
  // Each part was read once, however often the work was taken up.
  expect(world.read.runs.length).toBeLessThanOrEqual(TURNS + 1);
  const sent: readonly StoredMessage[] = effectiveHistory(task.messages).slice(0, -1);
  expect(historyProblems(sent)).toEqual([]);
}

describe.each([
  ['a summary', SUMMARY, 0],
  ['a summary that is refused', 'no', 0],
  ['a reduction that the provider asked for', SUMMARY, 12],
] as const)('a worker dies during %s', (_, summary, overflowAt) => {
  it('and the next one finishes it, or does what would have come next, and completes the task', async () => {
    const points = await commitsOf(summary, overflowAt);
    expect(points.length).toBeGreaterThan(2);
    for (const point of points) {
      for (const when of ['before', 'after'] as const) {
        const stage = submit(summary, overflowAt);
        crashAt(stage.world.store, point, when);
        await finish(stage);
        expectWhole(stage.task, stage.world);
      }
    }
  });
});
