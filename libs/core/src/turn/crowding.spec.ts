/** A conversation whose steps do not fit into its window: made shorter all the time, until its agent is told and then stopped. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentDefinition } from '@bullpen/contracts';
import { World } from '../../test/loop-world.js';
import { PROFILE, reader, SUMMARY, WORDS } from '../../test/talking-model.js';
import { crowding } from '../decide/loops/crowding.js';
import { CROWDED_NOTICE } from '../task/answer-end.js';
import type { StoredMessage } from '../task/task.js';

let world: World;
beforeEach(() => {
  world = new World();
});

async function run(linesInATurn: number, definition: Partial<AgentDefinition> = {}, summary = SUMMARY) {
  world.read.run = () => ({ kind: 'result', output: WORDS.repeat(linesInATurn) });
  const model = reader(60, { text: summary });
  const task = world.submit({ profiles: [PROFILE], maxOutputTokens: 1_000, ...definition });
  await world.drain(world.deps({ model }));
  const notices =
    JSON.stringify(model.requests.at(-1)?.messages).split(CROWDED_NOTICE.slice(0, 80)).length - 1;
  return { task, model, notices };
}

describe('a conversation that is made shorter every few turns', () => {
  it('is ended as a loop in the background, after its agent was told once', async () => {
    const { task, model } = await run(150);
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'loop',
      failure: { message: expect.stringMatching(/summed up in 6 of \d+ turns.*larger window/) as unknown },
    });
    expect(model.summaries).toHaveLength(6);
    const told = task.messages.filter(({ content }) => JSON.stringify(content).includes(CROWDED_NOTICE));
    expect(told).toHaveLength(1);
  });

  it('gets no further summaries when three in a row were of no use: older turns are left out without paying for one', async () => {
    const { task, model, notices } = await run(150, {}, 'no');
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Done after 60 turns.' });
    expect([model.summaries.length, notices]).toEqual([3, 0]);
    expect(task.messages.filter(({ reduction }) => reduction?.kind === 'truncate').length).toBeGreaterThan(6);
  });

  it("is the user's to decide where there is one; their words start afresh", async () => {
    const { task, model } = await run(150, { autonomy: 'agent' });
    expect(model.summaries).toHaveLength(6);
    const [asked] = task.interactions;
    expect(asked).toMatchObject({
      kind: 'mistakes',
      payload: { message: expect.stringContaining('summed up') },
    });
    world.store.answer('task_root', asked?.id ?? '', { decision: 'continue', guidance: 'Go on.' });
    const more = reader(10);
    await world.drain(world.deps({ model: more }));
    expect(more.summaries.length).toBeGreaterThan(1);
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Done after 10 turns.' });
  });

  it('is none where a summary lasts for a while', async () => {
    const { task, model, notices } = await run(40);
    expect(model.summaries.length).toBeGreaterThan(2);
    expect([task.outcome?.state, notices]).toEqual(['completed', 0]);
  });
});

describe('crowding', () => {
  const row = (seq: number, turn: number, kind: 'condense' | 'mask' | 'truncate'): StoredMessage => ({
    ...{ id: `msg_${seq}`, seq, turn, role: 'user', content: [], stopReason: null },
    reduction: { kind, fromSeq: 2, toSeq: seq - 1, modelCallId: null, forcedBy: null },
  });
  const at = (turns: number, ...reductions: StoredMessage[]) => crowding({ messages: [], reductions, turns });

  it('is told at the third close turn, and only right after it', () => {
    const rows = [row(8, 3, 'condense'), row(16, 6, 'condense'), row(24, 9, 'condense')];
    expect(at(10, ...rows)).toBe('notice');
    expect(at(11, ...rows)).toBeNull();
    expect(at(7, ...rows.slice(0, 2))).toBeNull();
  });

  it.each(['mask', 'truncate'] as const)('does not count what is free: %s', (kind) => {
    expect(at(10, row(8, 3, kind), row(16, 6, kind), row(24, 9, kind))).toBeNull();
  });

  it('begins anew after a while of work', () => {
    expect(at(30, row(8, 3, 'condense'), row(16, 6, 'condense'), row(60, 29, 'condense'))).toBeNull();
  });
});
