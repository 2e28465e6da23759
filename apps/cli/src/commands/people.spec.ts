import { aStory, ROOT } from '@bullpen/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApprovalPayload, InteractionView } from '@bullpen/contracts';
import { anInteraction, ASK_ID as ID } from '../../test/an-interaction.js';
import { aTaskView } from '../../test/a-task.js';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunResult } from '../../test/fake-terminal.js';

const command = {
  tool: 'run_command',
  arguments: { command: 'npm test | sh' },
  reason: 'A shell would run whatever comes out.',
  rule: 'commands.pipe-to-shell',
  part: 'sh',
  command: 'npm test | sh',
  parts: [
    { text: 'npm test', decision: 'approve', reason: 'ok', rule: 'r', message: 'a known program' },
    { text: 'sh', decision: 'ask', reason: 'x', rule: 'r', message: 'runs what it reads' },
  ],
} satisfies ApprovalPayload;
const edit = {
  tool: 'edit_file',
  arguments: { path: 'a.ts' },
  reason: 'It changes a file.',
  rule: 'alwaysAllowWrite',
  diff: '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-one\n+two\u001b[2J\n',
};
const question = {
  question: 'Which one?',
  options: [{ label: 'npm', description: 'it is there' }, { label: 'pnpm' }],
  multiple: true,
  freeText: true,
};
const plan = { version: 2, plan: '# Do it\n\nCarefully.', steps: ['Look', 'Act'] };
const budget = { turn: 1, limitUsd: '1.00', spentUsd: '0.9', neededUsd: '0.5' };
const mistakes = { turn: 1, mistakes: 6, message: '6 tool calls in a row failed.' };

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

function waits(view: InteractionView): void {
  gateway.ids = [{ id: view.id, title: view.title }];
  gateway.answers.set('/v1/interactions', { data: [view], nextCursor: null, hasMore: false });
  gateway.answers.set(`/v1/interactions/${view.id}`, view);
  gateway.answers.set(`/v1/interactions/${view.id}/answer`, { ...view, state: 'answered' });
}
const run = (args: string[], stdin = ''): Promise<RunResult> =>
  runCli(args, { stdin, env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' } });
const sent = (): unknown => gateway.requests.findLast(({ method }) => method === 'POST')?.body;

describe('inbox show', () => {
  it.each<[string, InteractionView, RegExp[]]>([
    [
      'the parts of a command, the reason and what is to blame',
      anInteraction('approval', command),
      [
        /fine {2}npm test {2}a known program/,
        /asks {2}sh {2}runs what it reads/,
        /A shell would run/,
        /because of: sh/,
      ],
    ],
    ['the change of a file', anInteraction('approval', edit), [/\n-one\n\+two\n/]],
    [
      'the options of a question',
      anInteraction('question', question),
      [/☐ npm {2}it is there\n {2}☐ pnpm/, /choose one or more, or answer/],
    ],
    [
      'a plan and its steps',
      anInteraction('plan', plan),
      [/Version 2\n# Do it\n\nCarefully\./, /1\. Look\n {2}2\. Act/],
    ],
    [
      'a used-up budget',
      anInteraction('budget', budget),
      [/\$0\.90 of \$1\.00 are spent; .* up to \$0\.50\.[^]*\$1\.40 or more/],
    ],
    ['an agent that is stuck', anInteraction('mistakes', mistakes), [/6 tool calls in a row failed/]],
    ['what this version does not know, as data', anInteraction('plan', { odd: true }), [/"odd": true/]],
  ])('shows %s', async (_, view, patterns) => {
    waits(view);
    const { code, out } = await run(['inbox', 'abc123']);
    expect(code).toBe(0);
    for (const pattern of patterns) expect(out).toMatch(pattern);
    expect(out).not.toContain('\u001b');
  });
});

describe('inbox', () => {
  it('lists what waits in a tree', async () => {
    waits(anInteraction('approval', command));
    gateway.task = aTaskView({ id: ROOT, parentId: null });
    const { out } = await run(['inbox', '--task', ROOT, '--kind', 'approval']);
    expect(out).toMatch(/^ID +AGE +KIND +TASK +ASKS\nask_\w+ +1m +approval +Exp\S+.* +run_command/);
    expect(gateway.requests.at(-1)?.path).toBe(
      `/v1/interactions?rootId=${ROOT}&kind=approval&state=pending&limit=200`,
    );
  });

  it('names ids that fit nothing, fit too much, or are too short', async () => {
    waits(anInteraction('approval', command));
    expect(await run(['inbox', 'show', 'zzzzzz'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('"zzzzzz"'),
    });
    expect(await run(['inbox', 'show', '23'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('too short'),
    });
    gateway.ids = [
      { id: ID, title: 'run_command: npm test' },
      { id: `ask_${'1'.repeat(20)}abc123`, title: 'write_file: a.ts' },
    ];
    expect(await run(['deny', 'abc123'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('matches several'),
    });
  });
});

describe('answers', () => {
  it.each<[string[], InteractionView, unknown]>([
    [['approve', ID], anInteraction('approval', command), { decision: 'approve' }],
    [
      ['approve', ID, '--args', '{"command":"npm test"}', '--remark', 'Like this', '--remember', 'task'],
      anInteraction('approval', command),
      { decision: 'approve', arguments: { command: 'npm test' }, remarks: 'Like this', remember: 'task' },
    ],
    [['deny', ID, '--remark', 'No'], anInteraction('approval', command), { decision: 'deny', remarks: 'No' }],
    [
      ['approve', ID, '--autonomy', 'background', '--plan', '- not this\n## Steps\n1. Look\n2. Think'],
      anInteraction('plan', plan),
      {
        decision: 'accept',
        autonomy: 'background',
        plan: '- not this\n## Steps\n1. Look\n2. Think',
        steps: ['Look', 'Think'],
      },
    ],
    [
      ['deny', ID, '--remark', 'Tests first'],
      anInteraction('plan', plan),
      { decision: 'revise', remarks: 'Tests first' },
    ],
    [
      ['answer', ID, '--choose', 'npm', '--choose', 'pnpm', 'both'],
      anInteraction('question', question),
      { choices: ['npm', 'pnpm'], text: 'both' },
    ],
    [['answer', ID, '--cancel'], anInteraction('question', question), { cancel: true }],
    [
      ['answer', ID, '--raise', '$10.00'],
      anInteraction('budget', budget),
      { decision: 'raise', limitUsd: '10.00' },
    ],
    [['answer', ID, '--stop'], anInteraction('mistakes', mistakes), { decision: 'stop' }],
    [
      ['answer', ID, '--guidance', 'Read'],
      anInteraction('mistakes', mistakes),
      { decision: 'continue', guidance: 'Read' },
    ],
  ])('are what the flags say: %j', async (args, view, answer) => {
    waits(view);
    const result = await run(args);
    expect([result.code, sent()]).toEqual([0, { answer, hash: 'h1' }]);
  });

  it.each<[string[], InteractionView]>([
    [['approve', ID], anInteraction('question', question)],
    [['approve', ID, '--autonomy', 'agent'], anInteraction('approval', command)],
    [['approve', ID, '--args', '{}'], anInteraction('plan', plan)],
    [['approve', ID, '--args', 'no json'], anInteraction('approval', command)],
    [['approve', '--all'], anInteraction('approval', command)],
    [['deny', ID], anInteraction('plan', plan)],
    [['answer', ID, 'yes'], anInteraction('approval', command)],
    [['answer', ID], anInteraction('question', question)],
    [['answer', ID, 'x', '--cancel'], anInteraction('question', question)],
    [['answer', ID, '--raise', '1', '--stop'], anInteraction('budget', budget)],
    [['answer', ID, '--raise', '1'], anInteraction('question', question)],
  ])('are refused before anything is sent when the flags do not fit: %j', async (args, view) => {
    waits(view);
    const result = await run(args);
    expect([result.code, sent()]).toEqual([2, undefined]);
    expect(result.err).toMatch(/^error: \S/);
  });

  it('say which answer stands when somebody was first', async () => {
    const answer = { decision: 'deny', remarks: 'No' };
    waits(anInteraction('approval', command, { state: 'answered', answer, answeredBy: 'ann' }));
    gateway.problems.set(`POST /v1/interactions/${ID}/answer`, { status: 409, code: 'interaction_closed' });
    expect(await run(['approve', ID])).toEqual({
      code: 7,
      out: '',
      err: `error: ${ID} is closed. ann answered: deny, remarks No\n`,
    });
  });

  it.each([
    [
      'deny',
      { decision: 'deny', remarks: 'No' },
      ['--remark', 'No'],
      `${ID} denied (remarks No): run_command: npm test\n`,
    ],
    ['approve', { decision: 'approve' }, [], `${ID} approved: run_command: npm test\n`],
  ])('%s all calls that wait in a task, and say so', async (verb, answer, more, err) => {
    waits(anInteraction('approval', command, { title: 'run_command: npm test' }));
    gateway.answers.set('/v1/interactions/answers', { answered: [ID], failed: [] });
    const result = await run([verb, '--all', '--task', ROOT, ...more]);
    expect([result.code, result.err, sent()]).toEqual([0, err, { ids: [ID], answer }]);
    expect((await run([verb, '--task', ROOT])).code).toBe(2);
    expect((await run([verb])).code).toBe(2);
  });

  it('are refused in the words of the command line, and nothing is said twice', async () => {
    waits(anInteraction('question', question));
    gateway.problems.set(`POST /v1/interactions/${ID}/answer`, {
      status: 422,
      code: 'invalid_answer',
      detail: 'The answer does not fit this question: "yarn" is none of: npm; pnpm',
      errors: [{ pointer: '/answer/choices', detail: '"yarn" is none of: npm; pnpm' }],
      nextActions: [{ action: 'interaction.show', interactionId: ID, text: 'Look at it.' }],
    });
    expect((await run(['answer', ID, '--choose', 'yarn'])).err).toBe(
      'error: The answer does not fit this question: "yarn" is none of: npm; pnpm\n' +
        `next: look at what is asked, and at the answer that counts: bullpen inbox show ${ID}\n`,
    );
  });

  it('are shown as commands that fit: options where there are some, a limit that is enough', async () => {
    waits(anInteraction('question', question));
    expect((await run(['inbox', 'show', ID])).err).toContain(
      `bullpen answer ${ID} --choose "OPTION" --choose "ANOTHER"`,
    );
    waits(anInteraction('budget', { ...budget, neededUsd: '20.001' }));
    expect((await run(['inbox', 'show', ID])).err).toContain(`bullpen answer ${ID} --raise 20.91`);
  });

  it('go to all calls that wait in a task, and name those that do not take it', async () => {
    waits(anInteraction('approval', command));
    const failed = [{ id: ID, code: 'interaction_closed', detail: 'Too late.' }];
    gateway.answers.set('/v1/interactions/answers', { answered: [], failed });
    const result = await run(['approve', '--all', '--task', ROOT]);
    expect([result.code, result.err]).toEqual([7, `refused: ${ID} Too late.\n`]);
    expect(sent()).toEqual({ ids: [ID], answer: { decision: 'approve' } });
  });
});

describe('people flags', () => {
  it('become fields of the task', async () => {
    await run('submit x --autonomy plan --level medium --ask wait --ask-timeout 2h'.split(' '));
    expect(sent()).toMatchObject({
      autonomy: 'plan',
      approvalLevel: 'medium',
      asks: { inBackground: 'wait', expiresAfterMs: 7_200_000 },
    });
  });

  it('switch a task that lives', async () => {
    gateway.task = aTaskView({ autonomy: 'background' });
    const result = await run(['mode', ROOT, 'background']);
    expect([result.err, sent()]).toEqual([
      `${ROOT} now has autonomy background\n`,
      { autonomy: 'background' },
    ]);
  });
});

describe('run where nobody can be asked', () => {
  it('goes on while anything in the tree moves, and leaves when only people can go on', async () => {
    const story = aStory();
    const child = `task_${'1'.repeat(26)}`;
    gateway.streams = [
      [
        story.created(ROOT, 'Root'),
        story.created(child, 'Child'),
        story.state(ROOT, 'running', 'waiting', { reason: 'children' }),
        story.state(child, 'running', 'waiting', { reason: 'approval' }),
      ],
    ];
    gateway.keepOpen = true;
    gateway.task = aTaskView({ state: 'waiting', waitReason: 'children', stopCause: null });
    waits(anInteraction('approval', command, { taskId: child }));
    const result = await run(['run', 'x']);
    expect(result.code).toBe(4);
    expect(result.err).toContain(`approval run_command: npm test\n  bullpen approve ${ID}\n`);
  });

  it('does not leave for what was answered meanwhile', async () => {
    const story = aStory();
    gateway.streams = [
      [
        story.created(ROOT, 'Root'),
        story.state(ROOT, 'running', 'waiting', { reason: 'approval' }),
        story.state(ROOT, 'waiting', 'queued'),
        story.state(ROOT, 'running', 'completed', { cause: 'goal' }),
      ],
    ];
    gateway.answers.set('/v1/interactions', { data: [], nextCursor: null, hasMore: false });
    expect((await run(['run', 'x'])).code).toBe(0);
  });
});
