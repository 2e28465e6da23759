/** The part of the store contract that is about work modes: a transition is one step, and two who fire at once do not write over each other. */
import { expect, it } from '@jest/globals';
import { EMPTY_CONTEXT, type Transition } from '../task/mode-context.js';
import { emptyStep } from '../turn/draft.js';
import { transitionEvent } from '../decide/modes/fire.js';
import type { Step } from '../ports/store.js';
import type { Lease } from '../task/task.js';
import { saidRow } from './contract-rows.js';
import type { TaskStoreHarness } from './store-harness.js';

const mode = (name: string, ...to: readonly string[]) => ({
  name,
  phase: 0,
  description: name,
  groups: ['read' as const],
  asks: 'nothing' as const,
  rules: to.map((next) => ({ on: `to_${next}`, to: next, priority: 9, when: null, means: next })),
  prompt: name,
});
const MODES = [mode('idle', 'look', 'make'), mode('look', 'make'), mode('make', 'idle')];

function row(seq: number, from: string, to: string | null, more: Partial<Transition> = {}): Transition {
  const isMove = to !== null;
  return {
    ...{ seq, from, to, trigger: `to_${to ?? 'nowhere'}`, source: 'agent', by: null, reason: 'so' },
    outcome: isMove ? 'moved' : 'refused',
    refusal: isMove ? null : 'there is no such way',
    possible: isMove ? [] : ['to_look', 'to_make'],
    ...more,
  };
}

export function transitionCases(open: () => TaskStoreHarness): void {
  async function begun(machine = true) {
    const world = open();
    const definition = { ...world.definition, conversation: true };
    const taskId = await world.create(
      machine ? { ...definition, machine: { modes: MODES, asks: null } } : definition,
    );
    let lease: Lease | null = await world.store.claim(taskId, 1, 'worker_a');
    const held = (): Lease => {
      if (!lease) throw new Error(`${taskId} is not claimed`);
      return lease;
    };
    const commit = (step: Partial<Step>) => world.store.commit(held(), { ...emptyStep(), ...step });
    return {
      ...{ world, taskId, commit },
      load: async () => {
        const snapshot = await world.store.load(held());
        if (!snapshot) throw new Error(`${taskId} is lost`);
        return snapshot;
      },
      move: (transition: Transition, more: Partial<Step> = {}) =>
        commit({ transition, events: [transitionEvent(transition)], ...more }),
      again: async () => {
        lease = await world.store.claim(taskId, (await world.look(taskId)).wake, 'worker_b');
      },
    };
  }

  it('begins in idle, without history; a task without modes has no mode', async () => {
    expect(await (await begun()).load()).toMatchObject({
      task: { mode: 'idle', modeContext: null },
      transitions: [],
    });
    expect(await (await begun(false)).load()).toMatchObject({ task: { mode: null }, transitions: [] });
  });

  it('stores row, mode, context, event and all else of the step together', async () => {
    const { world, taskId, move, load } = await begun();
    const modeContext = { ...EMPTY_CONTEXT, changed: ['a.ts'] };
    const messages = [saidRow(world, 2, { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] })];
    const moved = row(1, 'idle', 'look');
    expect(await move(moved, { messages, patch: { modeContext } })).toMatchObject({
      kind: 'committed',
      modeSeq: 1,
    });
    const refused = row(2, 'look', null);
    expect(await move(refused)).toMatchObject({ kind: 'committed', modeSeq: 2 });
    const { task, transitions, messages: stored } = await load();
    expect(task).toMatchObject({ mode: 'look', modeContext });
    expect(transitions).toEqual([moved, refused]);
    expect(await world.store.transitions(taskId)).toMatchObject([moved, refused]);
    expect(stored).toHaveLength(2);
    expect((await world.look(taskId)).events.slice(-2)).toEqual(['mode.changed', 'mode.refused']);
  });

  it('stores nothing of a step whose trigger somebody else has forestalled', async () => {
    const { world, taskId, move, load } = await begun();
    await world.transition(taskId, 'to_make', 'I said so.');
    const messages = [saidRow(world, 2, { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] })];
    const { spent, reserved } = await world.look(taskId);
    expect(await move(row(1, 'idle', 'look'), { messages, reserveNanoUsd: 5n })).toEqual({
      kind: 'mode_moved',
    });
    expect(await world.look(taskId)).toMatchObject({ spent, reserved, messages: 1 });
    const { task, transitions } = await load();
    expect(task).toMatchObject({ mode: 'make', inboxPending: 1 });
    expect(transitions).toMatchObject([
      { from: 'idle', to: 'make', source: 'person', reason: 'I said so.', outcome: 'moved' },
    ]);
  });

  it('tells a run with its next step that a person has fired a trigger', async () => {
    const { world, taskId, commit } = await begun();
    expect(await commit({})).toMatchObject({ modeSeq: 0 });
    await world.transition(taskId, 'to_look', null);
    expect(await commit({})).toMatchObject({ modeSeq: 1 });
    await world.transition(taskId, 'to_nowhere', null);
    expect(await commit({ patch: { mistakes: 1 } })).toMatchObject({ modeSeq: 2 });
  });

  it('records what a person fired in vain, and leaves the task as it is', async () => {
    const { world, taskId, load } = await begun();
    await world.transition(taskId, 'to_nowhere', 'Try.');
    const { task, transitions } = await load();
    expect(task).toMatchObject({ mode: 'idle', inboxPending: 0 });
    expect(transitions).toMatchObject([
      {
        outcome: 'refused',
        to: null,
        refusal: 'idle has no trigger to_nowhere.',
        possible: ['to_look', 'to_make'],
      },
    ]);
    expect((await world.look(taskId)).events.at(-1)).toBe('mode.refused');
  });

  it('a fenced worker moves nothing', async () => {
    const { world, taskId, move } = await begun();
    await world.expire(taskId);
    expect(await move(row(1, 'idle', 'look'))).toEqual({ kind: 'fenced' });
    expect(await world.store.transitions(taskId)).toEqual([]);
  });

  it('keeps a mode over a pause and another lease', async () => {
    const { world, taskId, move, load, commit, again } = await begun();
    await move(row(1, 'idle', 'look'));
    await commit({ end: { kind: 'pause' } });
    await world.transition(taskId, 'to_make', null);
    await world.resume(taskId);
    await again();
    expect(await load()).toMatchObject({
      task: { mode: 'make' },
      transitions: [{ to: 'look' }, { to: 'make' }],
    });
  });
}
