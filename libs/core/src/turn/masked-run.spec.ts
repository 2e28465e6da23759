import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DeltaEvent } from '@bullpen/contracts';
import { Masker, withoutCheckpoints, type LoopDeps, type Model, type ModelChunk } from '@bullpen/core';
import type { MemoryTask } from '@bullpen/core/testing';
import { aDefinition } from '@bullpen/testing';
import { countingTool, results, World } from '../../test/loop-world.js';

const VALUE = 'Tr0ub4dor-Kx9';
const MASK = '[secret DB]';
const IN_BASE64 = Buffer.from(`usr:${VALUE}`).toString('base64');

describe('a run with registered values', () => {
  let world: World;
  let deltas: DeltaEvent[];

  beforeEach(() => {
    world = new World();
    deltas = [];
  });

  const deps = (change: Partial<LoopDeps> = {}): LoopDeps =>
    world.deps({
      masker: new Masker([{ name: 'DB', value: VALUE }]),
      emit: (_, delta) => deltas.push(delta),
      ...change,
    });
  /** Everything of a task that is shown to somebody. */
  const shown = ({
    events,
    toolCalls,
    interactions,
    modelCalls,
    outcome,
    record,
    checkpoints,
  }: MemoryTask): string =>
    JSON.stringify([
      [events, interactions, [...modelCalls.values()].map(({ errorMessage }) => errorMessage)],
      [...toolCalls.values()].map(({ output, fullOutput, approval }) => [output, fullOutput, approval]),
      [outcome, record.todos, deltas, checkpoints],
    ]);
  const expectClean = (task: MemoryTask): void => {
    for (const form of [VALUE, 'dor-Kx9', IN_BASE64.slice(4, 14)]) expect(shown(task)).not.toContain(form);
  };
  const joined = (type: DeltaEvent['type']): string =>
    deltas
      .flatMap((delta) => (delta.type === type ? [delta.data] : []))
      .map((data) => ('text' in data ? data.text : data.json))
      .join('');

  it('keeps them from the model, the record and watchers when a tool gives them', async () => {
    const printing = countingTool('act', 'execute', 'report', (_, { onOutput }) => {
      for (const piece of `a ${VALUE} b\n${IN_BASE64}`) onOutput(piece);
      return { kind: 'result', output: `a ${VALUE} b\n${IN_BASE64}` };
    });
    world.tools = [printing];
    const task = world.submit({}, { toolCalls: [{ name: 'act', input: {} }] }, { text: 'Done.' });
    await world.drain(deps());
    expect(results(task, 3)[0]?.text).toBe(`a ${MASK} b\ndXNyOl${MASK}k=`);
    expect(JSON.stringify(world.model.requests)).not.toContain(VALUE);
    expect(joined('tool.output_delta')).toBe(`a ${MASK} b\ndXNyOl${MASK}k=`);
    expectClean(task);
  });

  it('keeps them from the names of files that a checkpoint tells of', async () => {
    const file = { path: `notes/${VALUE}.txt`, status: 'added', insertions: 1, deletions: 0 } as const;
    const diffstat = { files: 1, insertions: 1, deletions: 0, list: [file] };
    const place = {
      id: 'ckpt_1',
      workspaceId: 'task_root',
      parentId: null,
      turn: 1,
      commit: 'c1',
      files: 1,
      bytes: 7,
    };
    const leftOut = [{ reason: 'ignored' as const, count: 1, paths: [`${VALUE}/`] }];
    const task = world.submit({}, { toolCalls: [{ name: 'act', input: {} }] }, { text: 'Done.' });
    await world.drain(
      deps({
        workspace: () =>
          Promise.resolve({
            ...withoutCheckpoints('/nowhere'),
            checkpoint: ({ reason }) => {
              const checkpoint = { ...place, reason, note: VALUE, diffstat, changes: diffstat, leftOut };
              return Promise.resolve({ kind: 'taken', checkpoint });
            },
          }),
      }),
    );
    expect(task.checkpoints).toMatchObject([{ commit: 'c1', note: MASK }, { commit: 'c1' }]);
    expectClean(task);
  });

  it('keeps parts of them from watchers where live output has gaps', async () => {
    world.tools = [
      countingTool('act', 'execute', 'report', (_, { onOutput }) => {
        onOutput('=> Tr0ub');
        onOutput('dor-Kx9 <=', 100);
        return { kind: 'result', output: 'done' };
      }),
    ];
    world.submit({}, { toolCalls: [{ name: 'act', input: {} }] }, { text: 'Done.' });
    await world.drain(deps());
    const pieces = deltas.flatMap((delta) => (delta.type === 'tool.output_delta' ? [delta.data] : []));
    expect(pieces.map(({ text }) => text).join('|')).toBe(`=> |${MASK}|${MASK} <=`);
    expect(pieces.at(-1)?.offset).toBe(103 + MASK.length);
  });

  it('masks the error of a tool, of the provider, and of the task', async () => {
    world.tools = [
      countingTool('act', 'execute', 'report', () => {
        throw new Error(`cannot log in with ${VALUE}`);
      }),
    ];
    const task = world.submit(
      {},
      { toolCalls: [{ name: 'act', input: {} }] },
      { error: { class: 'request', message: `bad header ${VALUE}` } },
    );
    await world.drain(deps());
    expect(results(task, 3)[0]?.text).toBe(`act failed: cannot log in with ${MASK}`);
    expect(task.outcome?.failure?.message).toContain(`bad header ${MASK}`);
    expectClean(task);
  });

  it('runs a call that names one with the value, and shows the mask', async () => {
    world.tools = [countingTool('act', 'write', 'report', () => ({ kind: 'result', output: 'written' }))];
    const [act] = world.tools as [ReturnType<typeof countingTool>];
    const args = { path: '.env', content: `PASSWORD=${VALUE}\n` };
    const task = world.submit(
      { autonomy: 'agent', approvals: { ...aDefinition().approvals, alwaysAllowWrite: false } },
      { text: `I write ${VALUE}.`, toolCalls: [{ name: 'act', input: args }] },
      { text: `Wrote ${VALUE}.` },
    );
    await world.drain(deps());
    const [asked] = task.interactions;
    expect(asked?.payload).toMatchObject({ arguments: { content: `PASSWORD=${MASK}\n` } });
    expectClean(task);
    world.store.answer('task_root', asked?.id ?? '', { decision: 'approve' });
    await world.drain(deps());
    expect(act.runs).toEqual([args]);
    expect(task).toMatchObject({ state: 'completed', outcome: { output: `Wrote ${MASK}.` } });
    expectClean(task);
    // The provider takes back only what it said.
    expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain(`I write ${VALUE}.`);
  });

  it('does not let a call put a mask where the value is', async () => {
    world.tools = [countingTool('act', 'write', 'repeat', () => ({ kind: 'result', output: 'written' }))];
    const [act] = world.tools as [ReturnType<typeof countingTool>];
    const inputs: Record<string, string>[] = [
      { content: `A=1\nB=${MASK}\n` },
      { oldText: MASK, newText: 'x' },
      { content: '[secret OTHER]' },
    ];
    const task = world.submit(
      {},
      { toolCalls: inputs.map((input) => ({ name: 'act', input })) },
      { text: `It has ${MASK}.` },
    );
    await world.drain(deps());
    expect(act.runs).toEqual([inputs[2]]);
    expect(results(task, 3)).toMatchObject([
      { error: true, text: expect.stringContaining(MASK) },
      { error: true, text: expect.stringContaining('stands for a secret value') },
      { error: false },
    ]);
  });

  it('refuses arguments of a person that hold a mask', async () => {
    const task = world.submit(
      { autonomy: 'agent', approvals: { ...aDefinition().approvals, alwaysAllowExecute: false } },
      { toolCalls: [{ name: 'act', input: { line: `login ${VALUE}` } }] },
      { text: 'Done.' },
    );
    await world.drain(deps());
    const answer = { decision: 'approve' as const, arguments: { line: `login -v ${MASK}` } };
    world.store.answer('task_root', task.interactions[0]?.id ?? '', answer);
    await world.drain(deps());
    expect(world.act.runs).toEqual([]);
    expect(results(task, 3)).toMatchObject([{ error: true, text: expect.stringContaining(MASK) }]);
  });

  it('lets nobody put one together who watches the answer come in pieces', async () => {
    const text = `So ${VALUE} it is. `;
    const input = JSON.stringify({ line: `login ${VALUE}` });
    const pieces = (whole: string) => whole.match(/[^]{1,3}/g) ?? [];
    const chunks: ModelChunk[] = [
      ...pieces(text).map((piece): ModelChunk => ({ type: 'reasoning', index: 0, text: piece })),
      { type: 'reasoning', index: 0, text: '', signature: 's' },
      { type: 'block_end', index: 0 },
      ...pieces(text).map((piece): ModelChunk => ({ type: 'text', index: 1, text: piece })),
      { type: 'block_end', index: 1 },
      { type: 'tool_call_start', index: 2, id: 'toolu_1', name: 'act' },
      ...pieces(input).map((json): ModelChunk => ({ type: 'tool_call_delta', index: 2, json })),
      { type: 'tool_call_end', index: 2 },
      { type: 'stop', stopReason: 'tool_use' },
    ];
    const task = world.submit({}, { text: 'Done.' });
    let first = true;
    const model: Model = {
      async *stream(...args) {
        if (!first) return yield* world.model.stream(...args);
        first = false;
        yield* chunks;
      },
    };
    await world.drain(deps({ model }));
    for (const type of ['reasoning.delta', 'message.delta'] as const)
      expect(joined(type)).toContain(`So ${MASK} it is. `);
    expect(joined('tool.generating')).toBe(JSON.stringify({ line: `login ${MASK}` }));
    const offsets = deltas.flatMap((delta) => (delta.type === 'message.delta' ? [delta.data] : []));
    let at = 0;
    for (const { offset, text: piece } of offsets.slice(0, -2)) {
      expect(offset).toBe(at);
      at += piece.length;
    }
    expect(task.events).toContainEqual(
      expect.objectContaining({
        type: 'message.agent',
        data: expect.objectContaining({
          text: expect.stringContaining(`So ${MASK} it is.`),
          reasoning: text.replace(VALUE, MASK),
        }),
      }),
    );
    expectClean(task);
    expect(JSON.stringify(task.messages)).toContain(VALUE);
  });
});
