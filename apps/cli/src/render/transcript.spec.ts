import { aContext, aStory, ROOT } from '@bullpen/testing';
import type { StreamItem } from '@bullpen/client';
import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { Transcript } from './transcript.js';
import { widthOf } from './width.js';

const colors = pc.createColors(false);
const aTranscript = (everything = false, width = 40): Transcript =>
  new Transcript({ rootId: ROOT, width, colors, everything });
const linesOf = (items: readonly StreamItem[], transcript = aTranscript()): string[] =>
  items.flatMap((item) => transcript.push(item));

describe('a transcript', () => {
  it('gives text out line by line as it comes, and each piece once', () => {
    const story = aStory();
    const transcript = aTranscript();
    const push = (item: StreamItem): string[] => transcript.push(item);
    push(story.created(ROOT, 'Root'));
    expect(push(story.piece(ROOT, 'First li', 0))).toEqual([]);
    expect(push(story.piece(ROOT, 'ne\nSecond', 8))).toEqual(['First line']);
    expect(push(story.piece(ROOT, 'First line\nSecond', 0))).toEqual([]);
    expect(push(story.says(ROOT, 'First line\nSecond one'))).toEqual(['Second one']);
    expect(transcript.rest()).toEqual([]);
  });

  it('takes what it missed from the stored message', () => {
    const story = aStory();
    const items = [
      story.piece(ROOT, 'First\n', 0),
      story.piece(ROOT, 'Third\n', 13),
      story.says(ROOT, 'First\nSecond\nThird\n'),
    ];
    expect(linesOf(items)).toEqual(['First', 'Second', 'Third']);
  });

  it('gives out a long paragraph before it is over, without losing a space', () => {
    const story = aStory();
    const transcript = aTranscript();
    const words = 'word '.repeat(40);
    const lines: string[] = [];
    for (let at = 0; at < words.length; at += 7)
      lines.push(...transcript.push(story.piece(ROOT, words.slice(at, at + 7), at)));
    expect(lines.length).toBeGreaterThan(2);
    lines.push(...transcript.push(story.says(ROOT, words)));
    expect(lines.join(' ')).toBe(words.trim());
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(40);
  });

  it('says at once that the provider refused the key, and what to do once, however many tasks wait for it', () => {
    const story = aStory();
    const refused = (taskId: string) =>
      story.tell(taskId, {
        type: 'provider.waiting',
        data: { errorClass: 'authentication', message: 'invalid x-api-key', delayMs: null },
      });
    const lines = linesOf([story.created(ROOT, 'Root'), refused(ROOT), refused(ROOT)]);
    expect(lines.filter((line) => line.includes('refused the key: invalid x-api-key'))).toHaveLength(2);
    expect(lines.filter((line) => line.includes('next: bullpen providers resume'))).toHaveLength(1);
    const pause = { errorClass: 'rate_limit', message: 'The provider asked for a pause.', delayMs: 61_000 };
    expect(linesOf([story.tell(ROOT, { type: 'provider.waiting', data: pause })])).toEqual([
      '! The provider asked for a pause. It goes on in 1m 01s.',
    ]);
  });

  it('indents subtasks and says who speaks when that changes', () => {
    const story = aStory();
    const items = [
      story.created(ROOT, 'Root'),
      story.says(ROOT, 'I ask others.'),
      story.tell(ROOT, {
        type: 'subtask.spawned',
        data: { taskId: 'task_a', title: 'Part A', agent: 'tester' },
      }),
      story.created('task_a', 'Part A'),
      story.calls('task_a', 'read_file', { path: 'a.ts' }),
      story.called('task_a', 'read_file', 'done', 'content'),
      story.piece('task_a', 'Half a line', 0),
      story.says(ROOT, 'Meanwhile.', 2),
      story.says('task_a', 'Half a line and more'),
      story.state('task_a', 'running', 'completed', { cause: 'goal' }),
    ];
    expect(linesOf(items)).toEqual([
      'I ask others.',
      '+ Part A (tester)',
      '  ── Part A',
      '  → read_file a.ts',
      '── Root',
      'Meanwhile.',
      '  ── Part A',
      '  Half a line and more',
      '  ✓ completed',
    ]);
  });

  it('shows failed and slow tools, retries, limits and what a copy lacks', () => {
    const story = aStory();
    const items = [
      story.called(ROOT, 'write_file', 'errored', 'not\nallowed'),
      story.called(ROOT, 'execute_command', 'done', '', 12_000),
      story.tell(ROOT, {
        type: 'retry.scheduled',
        data: {
          modelCallId: 'm',
          errorClass: 'overloaded',
          message: 'overloaded',
          attempt: 1,
          delayMs: 2_000,
        },
      }),
      story.tell(ROOT, {
        type: 'limit.reached',
        data: { cause: 'cost_limit', message: 'The budget is spent' },
      }),
      story.tell(ROOT, { type: 'context.warning', data: { percent: 80, context: aContext() } }),
      story.tell(ROOT, {
        type: 'workspace.incomplete',
        data: {
          total: 5,
          leftOut: ['a\u001b[2J', 'b', 'c', 'd'].map((path) => ({ path, why: 'gone' as const })),
        },
      }),
      story.state(ROOT, 'running', 'failed', { cause: 'cost_limit' }),
    ];
    expect(linesOf(items)).toEqual([
      '✗ write_file: not allowed',
      '✓ execute_command 12 s',
      '! overloaded; trying again in 2.0 s',
      '! The budget is spent',
      '! The context is 80 % full: about 12.8k of 16.0k tokens',
      '! not there: a (gone), b (gone), c (gone) and 2 more',
    ]);
  });

  it('says into which mode the task went by which trigger, and what was refused', () => {
    const story = aStory();
    const who = { source: 'agent' as const, by: null };
    const items = [
      story.tell(ROOT, {
        type: 'mode.changed',
        data: { ...who, seq: 1, from: 'test', to: 'qa', trigger: 'tests_passed', reason: 'all\ngreen' },
      }),
      story.tell(ROOT, {
        type: 'mode.refused',
        data: { ...who, seq: 2, mode: 'qa', trigger: 'x', refusal: 'qa has no trigger x.', possible: [] },
      }),
    ];
    expect(linesOf(items)).toEqual(['◆ test → qa (tests_passed): all green', '◆ qa has no trigger x.']);
  });

  it('says how the conversation became shorter, what that saved and what it cost', () => {
    const story = aStory();
    const sizes = { tokensBefore: 18_400, tokensAfter: 7_000 };
    const items = [
      story.tell(ROOT, { type: 'context.masked', data: { messageId: 'm1', outputs: 9, ...sizes } }),
      story.tell(ROOT, {
        type: 'context.condensed',
        data: {
          messageId: 'm2',
          modelCallId: 'c',
          messages: 14,
          ...sizes,
          costUsd: '0.0123',
          text: 'All of it.',
        },
      }),
      story.tell(ROOT, {
        type: 'context.summary_refused',
        data: { modelCallId: 'c', reason: 'it says\nnothing', costUsd: null },
      }),
      story.tell(ROOT, {
        type: 'context.truncated',
        data: { messageId: 'm3', messages: 1, ...sizes, forced: true },
      }),
    ];
    expect(linesOf(items, aTranscript(false, 100))).toEqual([
      '≡ 9 older outputs left out of what the model is sent (18.4k → 7.0k tokens)',
      '≡ 14 older messages summed up for $0.0123 (18.4k → 7.0k tokens)',
      '! a summary of the conversation was not used: it says nothing',
      '≡ 1 older message left out of what the model is sent (18.4k → 7.0k tokens)',
    ]);
  });

  it('says when files were made anew or could not be stored; that they were stored only when everything is shown', () => {
    const story = aStory();
    const taken = { checkpointId: 'ckpt_1', reason: 'turn', turn: 3, note: null } as const;
    const items = [
      story.tell(ROOT, {
        type: 'checkpoint.taken',
        data: { ...taken, files: 1, insertions: 2, deletions: 0 },
      }),
      story.tell(ROOT, { type: 'checkpoint.failed', data: { reason: 'no_git', message: 'no\u001b[2J git' } }),
      story.tell(ROOT, {
        type: 'workspace.rebuilt',
        data: { checkpointId: 'ckpt_1', turn: 3, lostCalls: ['call_1'] },
      }),
    ];
    const notable = [
      '! these files could not be stored as a checkpoint: no git',
      '↻ the files were made anew, as they were after turn 3; what 1 later call did to them is gone',
    ];
    expect(linesOf(items, aTranscript(false, 120))).toEqual(notable);
    const all = ['checkpoint: 1 file changed, +2 -0', ...notable];
    expect(linesOf(items, aTranscript(true, 120))).toEqual(all);
  });

  it('shows the setup of the workspace as a command, with how it failed or why it did not run', () => {
    const story = aStory();
    const about = { callId: 'setup_1', command: 'npm ci' };
    const ended = (state: 'done' | 'failed' | 'refused', output: string, durationMs = 9_000) =>
      story.tell(ROOT, { type: 'workspace.setup_finished', data: { ...about, state, durationMs, output } });
    const items = [
      story.tell(ROOT, { type: 'workspace.setup_started', data: about }),
      ended('done', 'exit code 0\nadded 12 packages'),
      ended('failed', 'exit code 1\nnpm error\nno such package\u001b[2J\n'),
      ended('refused', 'alwaysAllowExecute is off.', 0),
    ];
    const failed = '✗ setup failed: exit code 1: no such package';
    const refused = '✗ setup was not run: alwaysAllowExecute is off.';
    expect(linesOf(items, aTranscript(false, 120))).toEqual([
      '→ setup npm ci',
      '✓ setup 9.0 s',
      failed,
      refused,
    ]);
    expect(linesOf(items, aTranscript(true, 120))).toEqual([
      ...['→ setup npm ci', '  exit code 0', '  added 12 packages'],
      ...['  exit code 1', '  npm error', '  no such package', refused],
    ]);
  });

  it('says before the first command that nothing holds, and only then, what that means', () => {
    const story = aStory();
    const call = (sandbox?: string) => story.calls(ROOT, 'run_command', { command: 'ls' }, sandbox);
    const lines = linesOf([call('bubblewrap'), call('none'), call('none')], aTranscript(false, 80));
    expect(lines.filter((line) => line.startsWith('→'))).toHaveLength(3);
    const warnings = lines.filter((line) => !line.startsWith('→'));
    expect(warnings).toEqual([
      expect.stringContaining('sandbox: none: commands can read whatever their user can read'),
    ]);
    expect(lines.indexOf(warnings[0] ?? '')).toBe(1);
  });

  it('leaves the end of the root to who watches, but not in logs', () => {
    const end = (): StreamItem => aStory().state(ROOT, 'running', 'failed', { cause: 'cost_limit' });
    expect(linesOf([end()])).toEqual([]);
    expect(linesOf([end()], aTranscript(true))).toEqual(['✗ failed (cost limit)']);
  });

  it('tells everything in logs: prompt, thoughts, results', () => {
    const story = aStory();
    const items = [
      story.created(ROOT, 'Root'),
      story.tell(ROOT, { type: 'message.user', data: { messageId: 'm', text: 'Do it', source: 'prompt' } }),
      story.tell(ROOT, {
        type: 'message.agent',
        data: { messageId: 'n', turn: 1, text: 'Yes', reasoning: 'Hm' },
      }),
      story.called(
        ROOT,
        'list_files',
        'done',
        Array.from({ length: 9 }, (_, index) => `file ${index}`).join('\n'),
      ),
    ];
    expect(linesOf(items, aTranscript(true))).toEqual([
      'Root', 'tester · claude-test', '> Do it', 'Hm', 'Yes',
      '  file 0', '  file 1', '  file 2', '  file 3', '  file 4', '  file 5', '  … 3 more lines',
    ]); // prettier-ignore
  });

  it('never lets a task write control sequences to the terminal', () => {
    const story = aStory();
    const bad = '\u001b]0;owned\u0007\u001b[2J';
    const items = [
      story.created(ROOT, `t${bad}`),
      story.piece(ROOT, `a${bad}\n`, 0),
      story.says('task_a', `b${bad}`),
      story.calls(ROOT, `c${bad}`, { path: bad }),
      story.called(ROOT, `d${bad}`, 'errored', bad),
      story.called(ROOT, 'e', 'done', bad),
    ];
    expect(linesOf(items, aTranscript(true)).join('')).not.toContain('\u001b');
  });
});
