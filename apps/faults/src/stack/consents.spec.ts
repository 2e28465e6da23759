/** The check of what people had their word on is only worth something if it notices each way of passing over them. */
import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { runCommandTool } from '@bullpen/tools';
import type { Given } from './answerer.js';
import { callsThatAsk, edited } from './asking.js';
import type { AskRow, AskingTask, EventRow, GatedCall } from './consent-rows.js';
import { wrongConsents, type ConsentWitnesses } from './consents.js';

const TOKEN = 'a/0.0';
const [asked] = callsThatAsk({ do: 'gated', people: ['approve'] }, 'a', 0, '/effects');
const COMMAND = String((asked?.input as { command: string }).command);
const MINE = edited(COMMAND);
const PATHS = [{ access: 'read', path: '.', place: 'inside' }];

/** With the defaults of the tool, its keys in order. */
const argsOf = (command: string) => ({ background: false, command, cwd: '.' });

/** As the product names what would run, spelt out: keys in order, defaults filled in. */
function hashOf(command: string): string {
  const subject = {
    arguments: argsOf(command),
    call: 'call_1',
    command,
    paths: PATHS,
    task: 'task_1',
    tool: 'run_command',
  };
  return createHash('sha256').update(JSON.stringify(subject)).digest('hex');
}

const HASH = hashOf(COMMAND);
/** It is not run here. */
const NOWHERE = { processes: { sandbox: null } } as unknown as Parameters<
  typeof runCommandTool
>[0]['command'];
const YES = { decision: 'approve', remarks: '«yes»' } as const;
const NO = { decision: 'deny', remarks: '«no»' } as const;

const ask = (more: Partial<AskRow> = {}): AskRow => ({
  ...{ id: 'ask_1', taskId: 'task_1', kind: 'approval', callId: 'call_1', hash: HASH },
  ...{ payload: { paths: PATHS }, answer: YES, answeredBy: 'somebody', withdrawn: false },
  ...more,
});
const call = (more: Partial<GatedCall> = {}): GatedCall => ({
  ...{ id: 'call_1', taskId: 'task_1', status: 'done', arguments: { command: COMMAND }, output: '' },
  approval: { verdict: 'approve', by: 'user', interactionId: 'ask_1', hash: HASH },
  ...more,
});
const task = (more: Partial<AskingTask> = {}): AskingTask => ({
  ...{ id: 'task_1', title: 'a', state: 'completed', output: 'done a «yes»', wake: 2 },
  ...more,
});
const given = (more: Partial<Given> = {}): Given => ({
  ...{
    interactionId: 'ask_1',
    key: 'k',
    answer: YES,
    mark: '«yes»',
    fate: 'accepted',
    code: null,
    detail: '',
  },
  ...{ sent: 1, ...more },
});
const late = (detail = 'ask_1 was answered by somebody') =>
  given({ answer: NO, mark: '«no»', fate: 'refused', code: 'interaction_closed', detail });

const event = (type: string, data: EventRow['data'] = {}): EventRow => ({ taskId: 'task_1', type, data });
const move = (from: string, to: string) => event('task.status_changed', { from, to });
const closed = event('interaction.closed', { interactionId: 'ask_1', state: 'answered' });
const started = event('tool.started', { callId: 'call_1' });
const waits = [move('queued', 'running'), event('interaction.opened'), move('running', 'waiting')];
const EVENTS = [...waits, closed, move('waiting', 'queued'), move('queued', 'running'), started];

interface Story extends Partial<Omit<ConsentWitnesses, 'books'>> {
  readonly asks?: readonly AskRow[];
  readonly calls?: readonly GatedCall[];
  readonly events?: readonly EventRow[];
  readonly tasks?: readonly AskingTask[];
}

function found(story: Story): string[] {
  const { asks = [ask()], calls = [call()], events = EVENTS, tasks = [task()] } = story;
  const { effects = [TOKEN], given: answers = [given(), late()] } = story;
  return wrongConsents({ books: { asks, calls, events, tasks }, effects, given: answers });
}

const CHANGED = { decision: 'approve', arguments: { command: MINE }, remarks: '«yes»' } as const;
const CHANGED_CALL = call({
  arguments: { command: MINE },
  approval: { verdict: 'approve', by: 'user', interactionId: 'ask_1', hash: hashOf(MINE) },
});
const changed = { asks: [ask({ answer: CHANGED })], given: [given({ answer: CHANGED })] };
const refused = {
  asks: [ask({ answer: NO })],
  calls: [call({ status: 'errored', approval: { verdict: 'deny', by: 'user', interactionId: 'ask_1' } })],
  events: EVENTS.slice(0, -1),
  tasks: [task({ output: 'done a «no»' })],
  given: [given({ answer: NO, mark: '«no»' })],
  effects: [],
};

describe('the check of what people agreed to', () => {
  it('fills in the defaults that the tool fills in today', () => {
    expect(runCommandTool({ command: NOWHERE }).parse({ command: COMMAND })).toEqual({
      ok: true,
      call: expect.objectContaining({ args: argsOf(COMMAND) }),
    });
  });

  it.each<[string, Story]>([
    ['an approved call ran once, and a late answer was told so', {}],
    [
      'a call was cut off before its effect',
      {
        effects: [],
        calls: [call({ status: 'errored', output: 'Told.\n\nThe worker was lost while run_command ran.' })],
      },
    ],
    [
      'a call ran as the approver had changed it',
      { ...changed, calls: [CHANGED_CALL], effects: [`${TOKEN}!`] },
    ],
    ['a refused call did not run', refused],
    ['an effect belongs to a command that needs nobody', { effects: [TOKEN, 'other/3'] }],
  ])('is content when %s', (_what, story) => {
    expect(found(story)).toEqual([]);
  });

  it.each<[string, RegExp, Story]>([
    ['an effect without an approval', /nobody had approved/, { calls: [call({ approval: null })] }],
    ['an effect without a call', /belongs to 0 calls/, { calls: [] }],
    ['an approval of something else', /something else/, { asks: [ask({ hash: 'f'.repeat(64) })] }],
    [
      'a call whose paths are others by now',
      /something else/,
      {
        asks: [ask({ payload: { paths: [{ access: 'read', path: 'x', place: 'inside' }] } })],
      },
    ],
    ['a changed call that ran as it was asked', /belongs to 0 calls/, { ...changed, calls: [CHANGED_CALL] }],
    [
      'a call that ran as nobody had changed it',
      /not what the approver/,
      {
        asks: [ask({ answer: { ...CHANGED, arguments: { command: `${MINE} ` } } })],
        calls: [CHANGED_CALL],
        effects: [`${TOKEN}!`],
      },
    ],
    ['an approved call that did not run', /ran 0 times/, { effects: [] }],
    ['an approved call that failed', /is errored/, { calls: [call({ status: 'errored' })], effects: [] }],
    ['a refused call that began', /had been refused/, { ...refused, events: EVENTS }],
    ['a refused call that took effect', /had been refused/, { ...refused, effects: [TOKEN] }],
    ['a refusal that the agent was not told', /not told «no»/, { ...refused, tasks: [task({ output: '' })] }],
    [
      'a call that ran without an answer',
      /without an answer/,
      { asks: [ask({ answer: null, withdrawn: true })], events: EVENTS.slice(0, -1) },
    ],
    ['a call that began before its answer', /began before/, { events: [started, ...EVENTS.slice(0, -1)] }],
    ['what is open at the end', /open at the end/, { asks: [ask({ answer: null, answeredBy: null })] }],
    ['two answers that were accepted', /2 answers/, { given: [given(), given({ answer: NO, mark: null })] }],
    [
      'an accepted answer that is not in the books',
      /and has/,
      { given: [given({ answer: { decision: 'approve' }, mark: null })] },
    ],
    ['an answer that nobody gave', /nobody was told so/, { given: [] }],
    ['a late answer that is not told what stands', /was told/, { given: [given(), late('no')] }],
    ['words that did not count, and were told', /did not count/, { tasks: [task({ output: '«yes» «no»' })] }],
    ['a wake without an answer', /there was no answer/, { events: EVENTS.filter((one) => one !== closed) }],
    [
      'an answer that woke nobody',
      /not woken/,
      { events: [...waits, closed, started], tasks: [task({ wake: 1 })] },
    ],
    ['a wake more than there are reasons', /at wake 3/, { tasks: [task({ wake: 3 })] }],
  ])('notices %s', (_what, text, story) => {
    expect(found(story).join('\n')).toMatch(text);
  });
});
