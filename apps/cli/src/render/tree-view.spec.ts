import { aStory, ROOT, START } from '@bullpen/testing';
import { type StreamItem, TreeModel } from '@bullpen/client';
import type { TaskEvent } from '@bullpen/contracts';
import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { changeLine } from './change-line.js';
import { renderTree } from './tree-view.js';
import { widthOf } from './width.js';

const plain = pc.createColors(false);
const view = { width: 90, height: 24, colors: plain, now: START + 65_000, animate: false };

function modelOf(items: readonly StreamItem[]): TreeModel {
  const model = new TreeModel(ROOT);
  for (const item of items) model.apply(item);
  return model;
}

function aSurvey(): TaskEvent[] {
  const story = aStory();
  return [
    story.created(ROOT, 'Survey of bullpen'),
    story.state(ROOT, 'queued', 'running'),
    story.calls(ROOT, 'list_files', { path: '.' }),
    story.paid(ROOT, '0.0123', 12_000, 300),
    story.created('task_a', 'Count libs/core'),
    story.created('task_b', '数える 🎉 \u001b[31mapps'),
    story.state(ROOT, 'running', 'waiting', { reason: 'children' }),
    story.state('task_a', 'queued', 'running'),
    story.calls('task_a', 'read_file', { path: 'libs/core/src/index.ts' }),
    story.says('task_a', 'First.\nThen the second line', 2),
    story.state('task_b', 'queued', 'running'),
    story.created('task_c', 'Deep one', 'task_b', 2),
    story.paid('task_b', '0.000000001'),
    story.state('task_b', 'running', 'failed', {
      cause: 'turn_limit',
      failure: { cause: 'turn_limit', code: 'limit', message: 'No turns left' },
    }),
  ];
}

describe('a tree of tasks', () => {
  it('shows state, title, activity and numbers of each task, and the totals', () => {
    expect(renderTree(modelOf(aSurvey()), view)).toEqual([
      'task                                                       turns  tokens     cost     time',
      '◌ Survey of bullpen   waits for subtasks                       1   12.3k  $0.0123   1m 04s',
      '├─ ● Count libs/core  Then the second line                     2                      58 s',
      '└─ ✗ 数える 🎉 apps   No turns left                                 1.1k <$0.0001    3.0 s',
      '   └─ ○ Deep one      queued                                                              ',
      '4 tasks: 1 running, 1 waiting, 1 queued, 1 failed · $0.0123 · 1m 05s · 13.0k in, 350 out',
    ]);
  });

  it.each([30, 50, 63, 64, 80, 200])('fits into %i columns', (width) => {
    const lines = renderTree(modelOf(aSurvey()), { ...view, width, note: 'simulated' });
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(lines).toHaveLength(6);
  });

  it('shows what still works first when there is no room for all', () => {
    const story = aStory();
    const items: TaskEvent[] = [story.created(ROOT, 'Root'), story.state(ROOT, 'queued', 'running')];
    for (let index = 1; index <= 20; index += 1) {
      items.push(
        story.created(`task_${index}`, `Part ${index}`),
        story.state(`task_${index}`, 'queued', 'running'),
      );
      if (index <= 15) items.push(story.state(`task_${index}`, 'running', 'completed', { cause: 'goal' }));
    }
    const lines = renderTree(modelOf(items), { ...view, height: 12 });
    expect(lines).toHaveLength(11);
    const shown = (index: number): boolean => lines.some((line) => line.includes(`Part ${index} `));
    expect([1, 14, 15, 16, 17, 18, 19, 20].map(shown)).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(lines.at(-2)).toContain('… and 13 more tasks');
  });

  it('says nothing while nothing is known', () => expect(renderTree(new TreeModel(ROOT), view)).toEqual([]));

  it('is coloured only when colours are wanted', () => {
    const lines = renderTree(modelOf(aSurvey()), { ...view, colors: pc.createColors(true) });
    expect(lines.join('')).toContain('\u001b[');
    expect(renderTree(modelOf(aSurvey()), view).join('')).not.toContain('\u001b');
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(90);
  });
});

describe('the picture of a tree', () => {
  it('shows text as it is being said, and nothing that could steer the terminal', () => {
    const story = aStory();
    const model = modelOf([
      story.created(ROOT, 'Ro\u001b[2Jot'),
      story.state(ROOT, 'queued', 'running'),
      story.created('task_f', 'Broken'),
      story.state('task_f', 'queued', 'failed', {
        failure: { cause: 'error', code: 'x', message: 'No\u001b[2J\nway' },
      }),
    ]);
    const shown = (): string => renderTree(model, view).join('\n');
    model.apply(story.piece(ROOT, 'Let me see.\nI am \u001b[31mloo', 0));
    expect(shown()).toMatch(/● Root {3,}I am {3,}/);
    model.apply(story.piece(ROOT, 'king at it, now', 25));
    expect(shown()).toMatch(/I am looking at it, {3,}/);
    expect(shown()).toMatch(/✗ Broken +No way /);
    expect(shown()).not.toContain('\u001b');
  });
});

describe('lines where nothing can be redrawn', () => {
  it('tells each change once, with time since the start', () => {
    const model = new TreeModel(ROOT);
    const lines = aSurvey().flatMap((event) => {
      model.apply(event);
      return changeLine(event, model, plain) ?? [];
    });
    expect(lines).toEqual([
      `+0 ms    ○ Survey of bullpen  tester ${ROOT}`,
      '+1.0 s   ● Survey of bullpen  running',
      '+4.0 s   ○ Count libs/core  tester task_a',
      '+5.0 s   ○ 数える 🎉 apps  tester task_b',
      '+6.0 s   ◌ Survey of bullpen  waits for subtasks',
      '+7.0 s   ● Count libs/core  running',
      '+10 s    ● 数える 🎉 apps  running',
      '+11 s    ○ Deep one  tester task_c',
      '+13 s    ✗ 数える 🎉 apps  failed (turn limit): No turns left  0 turns',
    ]);
  });
});
