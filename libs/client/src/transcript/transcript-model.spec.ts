/** The transcript of a task, folded from its events in whatever order, however often they come, and wherever the stream breaks. */
import type { DurableEventBody, LiveDelta, TaskEvent } from '@bullpen/contracts';
import { aStory, ROOT } from '@bullpen/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { StreamItem } from '../tree/tree-model.js';
import type { Row } from './rows.js';
import { TranscriptModel } from './transcript-model.js';

function modelOf(items: readonly StreamItem[], model = new TranscriptModel(ROOT)): TranscriptModel {
  for (const item of items) model.apply(item);
  return model;
}

const rowsOf = (model: TranscriptModel): readonly Row[] => [...model.stored, ...model.live];
const textsOf = (model: TranscriptModel) => rowsOf(model).map((row) => ('text' in row ? row.text : row.key));

/** A paid call that says how full the window is. */
function filling(event: TaskEvent, tokens: number): TaskEvent {
  if (event.type !== 'usage.recorded') throw new Error(`${event.type} is not paid for`);
  const parts = { system: 100, tools: 100, messages: tokens - 200, reservedOutput: 1_000 };
  const room = { window: 11_000, budget: 10_000, threshold: 8_000 };
  const context = { ...parts, ...room, tokens, share: tokens / room.budget, isEstimate: false };
  return { ...event, data: { ...event.data, context } };
}

/** A task with one of everything. */
function aDay(): TaskEvent[] {
  const story = aStory();
  const tell = (body: DurableEventBody) => story.tell(ROOT, body);
  const ask = { interactionId: 'int_1', kind: 'approval' as const };
  const child = { taskId: 'task_c', title: 'Child' };
  return [
    story.created(ROOT, 'Root'),
    tell({ type: 'message.user', data: { messageId: 'msg_0', text: 'Do it', source: 'prompt' } }),
    story.state(ROOT, 'queued', 'running'),
    tell({ type: 'attempt.started', data: { attempt: 1, epoch: 1, workerId: 'worker_a' } }),
    story.says(ROOT, 'I look', 1),
    filling(story.paid(ROOT, '0.1'), 1_000),
    story.calls(ROOT, 'read_file', { path: 'README.md' }),
    story.called(ROOT, 'read_file', 'done', '# Bullpen'),
    story.calls(ROOT, 'update_todos', {}),
    story.called(ROOT, 'update_todos', 'done', ''),
    tell({ type: 'todo.updated', data: { todos: [{ text: 'Look', status: 'completed' }] } }),
    tell({
      type: 'interaction.opened',
      data: { ...ask, callId: 'call_run_command', title: 'Run it?', expiresInMs: null },
    }),
    story.state(ROOT, 'running', 'waiting', { reason: 'approval' }),
    tell({ type: 'interaction.closed', data: { ...ask, state: 'answered', by: 'mina', answer: {} } }),
    story.calls(ROOT, 'run_command', { command: 'ls' }),
    story.called(ROOT, 'run_command', 'errored', 'exit 1'),
    tell({ type: 'subtask.spawned', data: { ...child, agent: 'coder' } }),
    tell({ type: 'subtask.ended', data: { ...child, state: 'completed', cause: 'goal' } }),
    tell({ type: 'history.rewound', data: { reason: 'rewind', messageIds: [`msg_${ROOT}_1`] } }),
    story.says(ROOT, 'Done', 2),
    story.state(ROOT, 'running', 'completed', { cause: 'goal' }),
    filling(story.paid(ROOT, '0.1'), 3_000),
  ];
}

/** The pieces in which a model says this, before the event that stores it. */
function pieces(text: string, size: number, messageId: string, afterSeq: number): LiveDelta[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) => ({
    type: 'message.delta',
    data: { messageId, offset: index * size, text: text.slice(index * size, (index + 1) * size) },
    taskId: ROOT,
    rootId: ROOT,
    afterSeq,
  }));
}

describe('the transcript of a task', () => {
  it('has a row for what is said, called, asked, given away and what happened, in the order of the events', () => {
    expect(modelOf(aDay()).stored.map((row) => [row.kind, row.seq])).toEqual([
      ['user', 2],
      ['note', 4],
      ['agent', 5],
      ['tool', 7],
      ['note', 11],
      ['ask', 12],
      ['note', 13],
      ['tool', 15],
      ['subtask', 17],
      ['note', 19],
      ['agent', 20],
      ['note', 21],
    ]);
  });

  it('knows of each row what became of it', () => {
    const rows = new Map(modelOf(aDay()).stored.map((row) => [row.key, row]));
    expect(rows.get('call_read_file')).toMatchObject({ state: 'done', preview: '# Bullpen', durationMs: 12 });
    expect(rows.get('int_1')).toMatchObject({ title: 'Run it?', closed: { state: 'answered', by: 'mina' } });
    expect(rows.get('task_c')).toMatchObject({ agent: 'coder', ended: { state: 'completed' } });
    expect(rows.get(`msg_${ROOT}_1`)).toMatchObject({ takenBack: true });
  });

  it('is the same whatever order and however often its events come, page by page from the newest back', () => {
    const events = aDay();
    const whole = modelOf(events);
    const shuffled = fc.shuffledSubarray([...events, ...events], { minLength: events.length * 2 });
    fc.assert(
      fc.property(shuffled, (items) => {
        const model = modelOf(items);
        expect([model.stored, model.todos, model.newestContext, model.firstSeq]).toEqual([
          whole.stored,
          whole.todos,
          whole.newestContext,
          1,
        ]);
      }),
    );
  });

  it('knows how full the window was with the newest call', () => {
    expect(modelOf(aDay()).newestContext?.tokens).toBe(3_000);
    expect(modelOf(aDay().slice(0, 3)).newestContext).toBeNull();
  });

  it('shows text while it streams, whatever comes twice, and the stored message in its place', () => {
    const saying = fc.record({
      text: fc.string({ minLength: 1, unit: 'binary' }),
      size: fc.integer({ min: 1, max: 7 }),
      again: fc.array(fc.nat(), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(saying, ({ text, size, again }) => {
        const story = aStory();
        const model = modelOf([story.created(ROOT, 'Root'), story.state(ROOT, 'queued', 'running')]);
        const all = pieces(text, size, 'msg_1', 2);
        all.forEach((piece, index) => {
          model.apply(piece);
          // A broken stream begins again with what was said a while ago.
          if (again.includes(index)) modelOf(all.slice(Math.max(0, index - 3), index + 1), model);
        });
        expect(model.live).toEqual([expect.objectContaining({ key: 'msg_1', text, streams: true })]);
        const stored = story.says(ROOT, `${text}.`, 1, 'msg_1');
        modelOf([...all, stored, ...all], model);
        expect(rowsOf(model)).toEqual([
          expect.objectContaining({ key: 'msg_1', text: `${text}.`, streams: false }),
        ]);
      }),
    );
  });

  it('marks what is missing in a text that it did not hear from the start', () => {
    const story = aStory();
    const model = modelOf([story.created(ROOT, 'Root')]);
    modelOf([story.piece(ROOT, 'lo wo', 3), story.piece(ROOT, 'ld', 9)], model);
    expect(textsOf(model)).toEqual(['…lo wo…ld']);
  });

  it('drops what was said when the model is asked again or the task leaves its worker, also what of it comes late', () => {
    const story = aStory();
    const model = modelOf([story.created(ROOT, 'Root')]);
    const late = story.piece(ROOT, 'Let me', 0, 'msg_a');
    model.apply(late);
    model.apply(story.piece(ROOT, 'Let us', 0, 'msg_b'));
    expect(textsOf(model)).toEqual(['Let us']);
    model.apply(story.tell(ROOT, { type: 'worker.lost', data: { workerId: 'worker_a' } }));
    expect([model.apply(late), model.live]).toEqual([false, []]);
  });

  it('shows the arguments of a call as they are written, until the call has events of its own', () => {
    const story = aStory();
    const model = modelOf([story.created(ROOT, 'Root')]);
    const generating = (toolUseId: string, offset: number, json: string): LiveDelta => ({
      type: 'tool.generating',
      data: { messageId: 'msg_1', toolUseId, tool: 'read_file', offset, json },
      taskId: ROOT,
      rootId: ROOT,
      afterSeq: 1,
    });
    modelOf(
      [generating('tu_1', 0, '{"pa'), generating('tu_1', 4, 'th":1}'), generating('tu_2', 0, '')],
      model,
    );
    const drafts = () => model.live.flatMap((row) => (row.kind === 'tool' ? [[row.key, row.draft]] : []));
    const both = [
      ['tu_1', '{"path":1}'],
      ['tu_2', ''],
    ];
    expect(drafts()).toEqual(both);
    model.apply(story.says(ROOT, '', 1, 'msg_1'));
    expect(drafts()).toEqual(both);
    model.apply(story.calls(ROOT, 'read_file', {}));
    expect(drafts()).toEqual([['tu_2', '']]);
    expect(model.stored.at(-1)).toMatchObject({ key: 'call_read_file', state: 'running' });
  });

  it('holds what a running tool prints, the newest of it, and lets it go with the end of the call', () => {
    const story = aStory();
    const model = modelOf([story.created(ROOT, 'Root'), story.calls(ROOT, 'run_command', {})]);
    const line = `${'x'.repeat(1023)}\n`;
    for (let index = 0; index < 1_000; index += 1)
      model.apply({
        type: 'tool.output_delta',
        data: { callId: 'call_run_command', offset: index * line.length, text: line },
        taskId: ROOT,
        rootId: ROOT,
        afterSeq: 2,
      });
    const output = () => model.stored.flatMap((row) => (row.kind === 'tool' ? [row.output] : [])).join('');
    expect(output().startsWith('…x')).toBe(true);
    expect(output().length).toBeLessThan(600 * 1024);
    model.apply(story.called(ROOT, 'run_command', 'done', 'x'));
    expect(output()).toBe('');
  });

  it('says which events it lacks between those that it knows', () => {
    const events = aDay();
    const model = modelOf([...events.slice(2, 4), ...events.slice(7)]);
    expect([model.firstSeq, model.hole]).toEqual([3, { after: 4, before: 8 }]);
    modelOf(events.slice(4, 7), model);
    expect(model.hole).toBeNull();
  });

  it('leaves out other tasks and older events do not disturb what is being said', () => {
    const story = aStory();
    const [created, running] = [story.created(ROOT, 'Root'), story.state(ROOT, 'queued', 'running')];
    const model = modelOf([story.says(ROOT, 'Hm', 1), story.piece(ROOT, 'And', 0, 'msg_2')]);
    expect(model.apply({ ...created, taskId: 'task_other' })).toBe(false);
    modelOf([running, created], model);
    expect(textsOf(model)).toEqual(['Hm', 'And']);
  });
});
