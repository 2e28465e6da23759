/** Whoever watches is told of a lost worker, and of what had to be done again, in every view. */
import { aStory, ROOT, START } from '@bullpen/testing';
import { LossCount, TreeModel } from '@bullpen/client';
import { describe, expect, it } from '@jest/globals';
import type { TaskEvent } from '@bullpen/contracts';
import pc from 'picocolors';
import { changeLine } from './change-line.js';
import { demoSummary } from './demo-summary.js';
import { lossesText } from './takeover.js';
import { Transcript } from './transcript.js';
import { renderTree } from './tree-view.js';

const colors = pc.createColors(false);

function loss(story = aStory()): { before: TaskEvent[]; lost: TaskEvent[]; after: TaskEvent[] } {
  const over = { repeated: ['read_file'], cutOff: [], modelCalls: 0 };
  return {
    before: [story.created(ROOT, 'Count'), story.state(ROOT, 'queued', 'running')],
    lost: [
      story.tell(ROOT, { type: 'worker.lost', data: { workerId: 'worker_a' } }),
      story.state(ROOT, 'running', 'queued'),
    ],
    after: [
      story.state(ROOT, 'queued', 'running'),
      story.tell(ROOT, { type: 'task.taken_over', data: { from: 'worker_a', to: 'worker_b', ...over } }),
    ],
  };
}

describe('a lost worker', () => {
  const { before, lost, after } = loss();
  const LOST = '! worker lost; the task goes on with another one';
  const RESUMED = '↻ resumed on another worker; 1 call repeated (read_file)';

  it('is told of in the transcript of run, chat, watch and logs', () => {
    const transcript = new Transcript({ rootId: ROOT, width: 80, colors, everything: false });
    expect([...before, ...lost, ...after].flatMap((item) => transcript.push(item))).toEqual([LOST, RESUMED]);
  });

  it('begins its answer anew, without the rest of what the lost one was saying', () => {
    const story = aStory();
    const transcript = new Transcript({ rootId: ROOT, width: 80, colors, everything: false });
    const told = loss(story);
    const items = [...told.before, story.piece(ROOT, 'I was say', 0), ...told.lost, ...told.after];
    expect(items.flatMap((item) => transcript.push(item))).toEqual([LOST, RESUMED]);
    expect(transcript.rest()).toEqual([]);
  });

  it('is told of where nothing can be redrawn', () => {
    const model = new TreeModel(ROOT);
    const lines = [...before, ...lost, ...after].map((event) => {
      model.apply(event);
      return changeLine(event, model, colors);
    });
    expect(lines.filter((line) => line !== null).map((line) => line.slice(9))).toEqual([
      expect.stringContaining('Count'),
      expect.stringContaining('running'),
      expect.stringContaining('worker lost; the task goes on with another one'),
      expect.stringContaining('running'),
      expect.stringContaining('resumed on another worker; 1 call repeated (read_file)'),
    ]);
  });

  it('is seen in the tree: while nobody has the task, when it goes on, and in the totals', () => {
    const model = new TreeModel(ROOT);
    const view = { width: 110, height: 10, colors, now: START + 9_000, animate: false };
    for (const event of [...before, ...lost]) model.apply(event);
    const orphan = renderTree(model, view);
    expect(orphan[1]).toContain('worker lost; the task goes on with another one');
    expect(orphan.at(-1)).toContain('1 worker lost');
    for (const event of after) model.apply(event);
    expect(renderTree(model, view)[1]).toContain('resumed on another worker; 1 call repeated');
  });

  it('is told of with what was done again', () => {
    const losses = { workers: 1, tasks: 3, repeatedCalls: 1, cutOffCalls: 1, repeatedModelCalls: 2 };
    expect(lossesText(losses)).toBe(
      '1 worker lost: 3 tasks went on with another, 1 call repeated, 1 call cut off, 2 model calls sent again',
    );
    expect(lossesText(new LossCount().losses)).toBe('');
  });

  it('is told of by the summary of a demo, and by no summary of one without', () => {
    const of = (losses: LossCount['losses']) =>
      demoSummary(
        {
          task: {
            id: ROOT,
            title: 'T',
            state: 'completed',
            stopCause: 'goal',
            failure: null,
            output: null,
            workspacePath: null,
          },
          tree: { tasks: [] },
          usage: {
            tree: {
              costUsd: '0',
              modelCalls: 1,
              inputTokens: 0,
              outputTokens: 0,
              cacheReadTokens: 0,
              cacheWriteTokens: 0,
            },
          },
          system: { model: { simulated: true }, queueBackend: 'postgres' },
          durationMs: 1,
          losses,
        } as never,
        false,
        { command: 'bullpen', io: { outColors: colors } } as never,
      );
    const count = new LossCount();
    expect(of(count.losses)).not.toContain('Workers');
    for (const event of [...lost, ...after]) count.take(event);
    expect(of(count.losses)).toContain(
      'Workers    1 worker lost: 1 task went on with another, 1 call repeated',
    );
  });
});
