/** The picture of a tree of tasks, folded from its events in whatever order and however often they come. */
import type { TaskEvent } from '@bullpen/contracts';
import { aStory, ROOT, START } from '@bullpen/testing';
import { describe, expect, it } from '@jest/globals';
import { LossCount } from './loss-count.js';
import { TreeModel, type StreamItem } from './tree-model.js';

function modelOf(items: readonly StreamItem[]): TreeModel {
  const model = new TreeModel(ROOT);
  for (const item of items) model.apply(item);
  return model;
}

const pictureOf = (model: TreeModel) => [model.rows(), model.totals()];

function aFamily(): TaskEvent[] {
  const story = aStory();
  return [
    story.created(ROOT, 'Root'),
    story.state(ROOT, 'queued', 'running'),
    story.created('task_p', 'Parent'),
    story.state('task_p', 'queued', 'running'),
    story.created('task_c', 'Child', 'task_p', 2),
    story.calls('task_p', 'read_file', { path: 'README.md' }),
    story.paid('task_p', '0.1'),
    story.says('task_p', 'Two lines', 2),
    story.state('task_p', 'running', 'completed', { cause: 'goal' }),
  ];
}

describe('the model of a tree', () => {
  it('is the same when events come twice, as after a broken stream', () => {
    const events = aFamily();
    expect(pictureOf(modelOf([...events, ...events.slice(3), ...events]))).toEqual(
      pictureOf(modelOf(events)),
    );
  });

  it('says whether an item changed anything, and leaves out other trees', () => {
    const model = new TreeModel(ROOT);
    const [created] = aFamily();
    if (created === undefined) throw new Error('There is no first event');
    expect([model.apply(created), model.apply(created)]).toEqual([true, false]);
    expect(model.apply({ ...aStory().piece(ROOT, 'x', 0), rootId: 'task_other' })).toBe(false);
  });

  it('is whole even when a child is heard of before its parent', () => {
    const story = aStory();
    const root = story.created(ROOT, 'Root');
    const parent = story.created('task_p', 'Parent');
    const child = story.created('task_c', 'Child', 'task_p', 2);
    const rows = modelOf([child, parent, root]).rows();
    expect(rows.map(({ node, depth }) => [node.title, depth])).toEqual([
      ['Root', 0],
      ['Parent', 1],
      ['Child', 2],
    ]);
  });

  it('knows of each task how it stands, what it did last, and what it used', () => {
    const model = modelOf(aFamily());
    expect(model.get('task_p')).toMatchObject({
      state: 'completed',
      stopCause: 'goal',
      turns: 2,
      costNanoUsd: 100_000_000n,
      activity: { kind: 'said', text: 'Two lines', whole: true },
      startedAt: START + 3_000,
      endedAt: START + 8_000,
      children: ['task_c'],
    });
    expect(model.totals().byState).toEqual(
      new Map([
        ['running', 1],
        ['completed', 1],
        ['queued', 1],
      ]),
    );
  });

  it('puts text together as it is being said, until its task has ended', () => {
    const story = aStory();
    const model = modelOf([story.created(ROOT, 'Root'), story.state(ROOT, 'queued', 'running')]);
    model.apply(story.piece(ROOT, 'Let me see.\nI am loo', 0));
    model.apply(story.piece(ROOT, 'king at it, now', 20));
    const said = { kind: 'said', text: 'Let me see.\nI am looking at it, now', whole: false };
    expect(model.root?.activity).toEqual(said);
    model.apply(story.state(ROOT, 'running', 'cancelled', { cause: 'cancelled' }));
    expect(model.apply(story.piece(ROOT, ' and later', 35))).toBe(false);
    expect(model.root?.activity).toEqual(said);
  });

  it('adds money exactly', () => {
    const story = aStory();
    const items = [story.created(ROOT, 'Root'), ...Array.from({ length: 10 }, () => story.paid(ROOT, '0.1'))];
    expect(modelOf(items).totals().costUsd).toBe('1.00');
  });

  it('keeps what the provider said when it refused the key, and knows whose worker is lost', () => {
    const story = aStory();
    const said = { errorClass: 'billing', message: 'No credit' };
    const model = modelOf([
      story.created(ROOT, 'Root'),
      story.tell(ROOT, { type: 'worker.lost', data: { workerId: 'worker_a' } }),
      story.tell(ROOT, {
        type: 'provider.waiting',
        data: { ...said, delayMs: null },
      }),
    ]);
    expect(model.root).toMatchObject({ refusal: said, isOrphan: true });
    model.apply(story.state(ROOT, 'queued', 'running'));
    expect(model.root?.isOrphan).toBe(false);
  });

  it('is empty while nothing is known, and can begin with the tree as the API gives it', () => {
    expect(new TreeModel(ROOT).rows()).toEqual([]);
    expect(TreeModel.of({ rootId: ROOT, tasks: [] }).root).toBeUndefined();
  });
});

describe('the losses of a tree', () => {
  it('count a worker once, however many tasks lost it, with what was done again', () => {
    const count = new LossCount();
    const story = aStory();
    for (const taskId of [ROOT, 'task_a', 'task_b'])
      count.take(story.tell(taskId, { type: 'worker.lost', data: { workerId: 'worker_a' } }));
    const found = { repeated: ['read_file'], cutOff: ['run_command'], modelCalls: 2 };
    count.take(story.tell(ROOT, { type: 'task.taken_over', data: { from: 'a', to: 'b', ...found } }));
    expect(count.losses).toEqual({
      workers: 1,
      tasks: 3,
      repeatedCalls: 1,
      cutOffCalls: 1,
      repeatedModelCalls: 2,
    });
  });
});
