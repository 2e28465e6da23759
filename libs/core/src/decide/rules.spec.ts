import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_RETRY,
  nanoUsdOf,
  NO_RULES,
  TaskState,
  TERMINAL_STATES,
  usdOf,
  type PolicyLayer,
} from '@bullpen/contracts';
import {
  ALL_APPROVALS,
  DEFAULT_APPROVALS,
  DEFAULT_LIMITS,
  EMPTY_LAYER,
  goOnRefusal,
  historyProblems,
  LEGAL_MOVES,
  preview,
  resolveTask,
  retryRefusal,
  type ModelErrorClass,
  type PolicyLayers,
  type RequestMessage,
} from '@bullpen/core';
import { capOutput, cleanText } from '../task/text.js';
import { decideRetry } from './retry.js';
import { HistoryProof } from '../task/history.js';
import { narrowLimits } from '../task/limits.js';
import { CreateTask } from '@bullpen/contracts';
import { aDefinition } from '@bullpen/testing';
import fc from 'fast-check';

const user = (...content: RequestMessage['content']): RequestMessage => ({ role: 'user', content });
const assistant = (...content: RequestMessage['content']): RequestMessage => ({ role: 'assistant', content });
const text = (value: string) => ({ type: 'text' as const, text: value });
const use = (id: string) => ({ type: 'tool_use' as const, id, name: 'x', input: {} });
const result = (id: string) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'ok' });

describe('the proof of a history', () => {
  it('lets a whole history pass', () => {
    expect(
      historyProblems([
        user(text('a')),
        assistant(text('b'), use('1'), use('2')),
        user(result('1'), result('2'), text('c')),
        assistant(text('d')),
        user(text('e')),
      ]),
    ).toEqual([]);
  });

  it.each([
    ['an assistant at the start', [assistant(text('a')), user(text('b'))], 'must start with a user'],
    ['an assistant at the end', [user(text('a')), assistant(text('b'))], 'must end with a user'],
    ['an unanswered call', [user(text('a')), assistant(use('1')), user(text('b'))], 'unanswered'],
    [
      'an answer that comes too late',
      [user(text('a')), assistant(use('1')), user(text('b')), user(result('1'))],
      'unknown call',
    ],
    ['an orphan result', [user(text('a')), user(result('9'))], 'unknown call'],
    [
      'two results for one call',
      [user(text('a')), assistant(use('1')), user(result('1'), result('1'))],
      'twice',
    ],
    [
      'a result behind text',
      [user(text('a')), assistant(use('1')), user(text('b'), result('1'))],
      'after other content',
    ],
    [
      'a repeated id',
      [user(text('a')), assistant(use('1')), user(result('1')), assistant(use('1')), user(result('1'))],
      'repeats',
    ],
    ['empty text', [user(text(' '))], 'empty text'],
    ['an empty message', [user()], 'is empty'],
  ])('names %s', (_name, messages, problem) => {
    expect(historyProblems(messages).join('\n')).toContain(problem);
  });

  it('proves a growing history message by message as it proves the whole', () => {
    const messages = [
      user(text('a')),
      assistant(text('b'), use('1')),
      user(result('1')),
      assistant(use('1')),
      user(text('no result')),
    ];
    const proof = new HistoryProof();
    const seen = messages.map((message) => {
      proof.add(message);
      return proof.problems();
    });
    expect(seen).toEqual(messages.map((_, at) => historyProblems(messages.slice(0, at + 1))));
    expect(seen.at(2)).toEqual([]);
    expect(seen.at(-1)).toHaveLength(2);
    expect(() => proof.assertSendable('task_1')).toThrow('cannot be sent: message 3 repeats');
  });
});

describe('text rules', () => {
  it('cuts a long output in the middle, on code points, and says how to read the rest', () => {
    const capped = capOutput('🙂'.repeat(8_000), 'call_1', 1_000);
    expect(capped.output.isWellFormed()).toBe(true);
    expect(capped.output).toMatch(
      /… \d+ characters left out; read them with read_tool_output \{"callId": "call_1"/,
    );
    expect(capped.fullOutput).toHaveLength(16_000);
    expect(capOutput('short', 'call_1')).toEqual({ output: 'short', fullOutput: null });
  });

  it('says exactly how many characters it left out', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 200, maxLength: 2_000 }), (value) => {
        const { output, fullOutput } = capOutput(value, 'c', 150);
        if (fullOutput === null) return;
        const match = /\n… (\d+) characters left out; [^\n]*"offset": (\d+)\} …\n/.exec(output);
        const [note, left, offset] = [match?.[0] ?? '', Number(match?.[1]), Number(match?.[2])];
        expect(output.length - note.length + left).toBe(value.length);
        expect(output.slice(0, offset)).toBe(value.slice(0, offset));
      }),
    );
  });

  it('replaces what Postgres and the provider do not take', () => {
    expect(cleanText('a\u0000b\ud800c🙂')).toBe('a\u2400b\ufffdc🙂');
    expect(preview('🙂🙂', 3)).toBe('🙂…');
  });
});

describe('money', () => {
  it('comes back exactly from its decimal form', () => {
    fc.assert(fc.property(fc.bigInt(0n, 10n ** 17n), (nano) => expect(nanoUsdOf(usdOf(nano))).toBe(nano)));
    expect([usdOf(0n), usdOf(1n), usdOf(2_500_000_000n)]).toEqual(['0.00', '0.000000001', '2.50']);
    expect(() => nanoUsdOf('-1')).toThrow(RangeError);
  });

  it('narrows to the smaller limit, where null is none', () => {
    expect(narrowLimits(DEFAULT_LIMITS, { ...DEFAULT_LIMITS, costUsd: '0.5', turns: 9 })).toMatchObject({
      costUsd: '0.5',
      turns: 9,
    });
    expect(narrowLimits({ ...DEFAULT_LIMITS, costUsd: null }, DEFAULT_LIMITS).costUsd).toBe(
      DEFAULT_LIMITS.costUsd,
    );
  });
});

describe('retries', () => {
  const error = (errorClass: ModelErrorClass, retryAfterMs: number | null = null) => ({
    class: errorClass,
    message: '',
    httpStatus: null,
    retryAfterMs,
    providerRequestId: null,
  });

  it('grow with full jitter within their bounds and respect the provider', () => {
    const delay = (attempt: number, random: number, after: number | null = null) =>
      decideRetry(
        error('overload', after),
        { ofClass: attempt, retries: 0 },
        { ...DEFAULT_RETRY, modelAttempts: 99 },
        () => random,
      );
    expect(delay(1, 0)).toEqual({ kind: 'retry', delayMs: 1_000 });
    expect(delay(20, 0.999_999)).toEqual({ kind: 'retry', delayMs: 599_999 });
    expect(delay(1, 0, 31_000)).toEqual({ kind: 'retry', delayMs: 31_000 });
  });

  it('end the attempt after the tries of the policy and the task after its attempts, never start for our own mistakes, and park for the account', () => {
    const kind = (errorClass: ModelErrorClass, ofClass = 1, retries = 0) =>
      decideRetry(error(errorClass), { ofClass, retries }, DEFAULT_RETRY, () => 0).kind;
    expect([
      kind('network', 4),
      kind('network', 5),
      kind('network', 5, 1),
      kind('network', 5, 2),
      kind('request'),
      kind('context', 9, 9), // What is sent then is another request.
      kind('billing'),
      kind('authentication'),
    ]).toEqual(['retry', 'exhausted', 'exhausted', 'fail', 'fail', 'retry', 'park', 'park']);
  });
});

describe('the table of moves', () => {
  it('names every state, leads every state to an end, and out of an end only to another attempt', () => {
    expect(Object.keys(LEGAL_MOVES).sort()).toEqual([...TaskState.options].sort());
    for (const state of TERMINAL_STATES) expect(LEGAL_MOVES[state]).toEqual(['queued']);
    for (const state of ['queued', 'running', 'waiting', 'paused'] as const)
      expect(LEGAL_MOVES[state]).toContain('cancelled');
  });
});

describe('another attempt', () => {
  const failed = {
    id: 'task_1',
    parentId: null,
    state: 'failed',
    stopCause: 'error',
    turns: 5,
    activeMs: 9_000,
    tokens: 100,
    spentNanoUsd: 10n,
    isImported: false,
  } as const;

  it('is for failed roots only', () => {
    expect(retryRefusal(failed, DEFAULT_LIMITS)).toBeNull();
    for (const state of ['completed', 'cancelled', 'running'] as const)
      expect(retryRefusal({ ...failed, state }, DEFAULT_LIMITS)?.reason).toContain(`is ${state}`);
    expect(retryRefusal({ ...failed, parentId: 'task_0' }, DEFAULT_LIMITS)?.reason).toContain('root');
  });

  it('goes on with a message after any end of a root, where every limit leaves room', () => {
    for (const state of TERMINAL_STATES)
      expect(goOnRefusal({ ...failed, state, stopCause: null }, DEFAULT_LIMITS)).toBeNull();
    expect(goOnRefusal({ ...failed, parentId: 'task_0' }, DEFAULT_LIMITS)?.reason).toContain('root');
    const done = { ...failed, state: 'completed', stopCause: 'goal' } as const;
    for (const limit of [{ turns: 5 }, { activeMs: 9_000 }, { tokens: 100 }, { costUsd: '0.00000001' }])
      expect(goOnRefusal(done, { ...DEFAULT_LIMITS, ...limit })?.pointer).toBe(
        `/limits/${Object.keys(limit)[0]}`,
      );
  });

  it.each([
    ['turn_limit', { turns: 5 }, { turns: 6 }, '/limits/turns'],
    ['time_limit', { activeMs: 9_000 }, { activeMs: 9_001 }, '/limits/activeMs'],
    ['token_limit', { tokens: 100 }, { tokens: 101 }, '/limits/tokens'],
    ['cost_limit', { costUsd: '0.00000001' }, { costUsd: null }, '/limits/costUsd'],
  ] as const)('needs room again after %s', (stopCause, same, more, pointer) => {
    const task = { ...failed, stopCause };
    expect(retryRefusal(task, { ...DEFAULT_LIMITS, ...same })?.pointer).toBe(pointer);
    expect(retryRefusal(task, { ...DEFAULT_LIMITS, ...more })).toBeNull();
  });
});

describe('resolving a submitted task', () => {
  const general = aDefinition({ name: 'general', model: '', limits: DEFAULT_LIMITS, rules: NO_RULES });
  const looking = { ...ALL_APPROVALS, alwaysAllowWrite: false, alwaysAllowExecute: false };
  const explorer = { ...general, name: 'explorer', approvals: { ...looking, alwaysAllowSubtasks: false } };
  const typed = { ...general, name: 'typed', inputSchema: { type: 'object' } };
  const resolve = (body: object, layers?: PolicyLayers, agents = [general, explorer, typed]) =>
    resolveTask(CreateTask.parse({ prompt: 'Do it.\nNow.', ...body }), {
      ...(layers && { layers }),
      agents,
      defaultModel: 'claude-x',
      models: {
        problemOf: (model) => (model.startsWith('claude-') ? null : `There is no model ${model}.`),
        hasPrice: (model) => model !== 'claude-free',
      },
      toolNames: [],
      validate: (_schema, value) => (value === null ? [] : ['/folder is wrong']),
      schemaIssues: (schema) => (schema['type'] === 'broken' ? ['broken'] : []),
    });

  it('fills in model, title, limits, and only what is allowed by default', () => {
    const resolved = resolve({ limits: { turns: 3 } });
    expect(resolved).toMatchObject({
      ok: true,
      title: 'Do it.',
      definition: {
        model: 'claude-x',
        approvals: DEFAULT_APPROVALS,
        limits: { ...DEFAULT_LIMITS, turns: 3 },
      },
    });
  });

  it('grants no more than the agent may have at most', () => {
    const resolved = resolve({
      agent: 'explorer',
      approvals: { alwaysAllowWrite: true, alwaysAllowExecute: true },
    });
    expect(resolved).toMatchObject({ definition: { approvals: DEFAULT_APPROVALS } });
  });

  it('takes approvals from the level, single ones, and what installation and project say, within their locks', () => {
    const layer = (write: boolean, locked: PolicyLayer['locked']) => ({
      ...EMPTY_LAYER,
      approvals: { alwaysAllowWrite: write },
      locked,
    });
    const approvals = (body: object, layers?: PolicyLayers) => {
      const resolved = resolve(body, layers);
      return resolved.ok && resolved.definition.approvals;
    };
    const writing = { ...DEFAULT_APPROVALS, alwaysAllowWrite: true };
    expect(approvals({ approvalLevel: 'low' })).toEqual(DEFAULT_APPROVALS);
    expect(approvals({ approvalLevel: 'medium' })).toEqual(writing);
    expect(approvals({ approvalLevel: 'high', approvals: { alwaysAllowSubtasks: false } })).toEqual({
      ...writing,
      alwaysAllowExecute: true,
    });
    expect(approvals({ approvalLevel: 'unattended' })).toEqual({
      ...writing,
      alwaysAllowExecute: true,
      alwaysAllowSubtasks: true,
      alwaysAllowModeSwitch: true,
      alwaysAllowFollowupQuestions: false,
    });
    expect(approvals({ approvalLevel: 'high', agent: 'explorer' })).toEqual(DEFAULT_APPROVALS);
    expect(approvals({}, { installation: layer(true, []) })).toEqual(writing);
    expect(approvals({}, { installation: layer(true, []), project: layer(false, []) })).toEqual(
      DEFAULT_APPROVALS,
    );
    expect(approvals({ approvalLevel: 'medium' }, { project: layer(false, ['alwaysAllowWrite']) })).toEqual(
      DEFAULT_APPROVALS,
    );
  });

  it('puts a task without anyone into the background, unless it says otherwise', () => {
    const autonomyOf = (body: object) => {
      const resolved = resolve(body);
      return resolved.ok && resolved.definition.autonomy;
    };
    expect(autonomyOf({ approvalLevel: 'unattended' })).toBe('background');
    expect(autonomyOf({ approvalLevel: 'unattended', autonomy: 'agent' })).toBe('agent');
  });

  it('adds the submitter’s lists and asks to the agent’s', () => {
    const rules = { ...NO_RULES, commands: { ...NO_RULES.commands, allow: ['npm ci'] } };
    expect(resolve({ rules, asks: { inBackground: 'wait' } })).toMatchObject({
      definition: { rules, asks: { inBackground: 'wait', expiresAfterMs: null, onExpiry: 'deny' } },
    });
  });

  it('names the agent where it is the agent that works with a model that is not there', () => {
    const agents = [{ ...general, name: 'odd', model: 'gpt' }];
    expect(resolve({ agent: 'odd' }, undefined, agents)).toMatchObject({
      ok: false,
      errors: [{ pointer: '/agent', detail: expect.stringContaining('There is no model gpt.') }],
    });
    expect(resolve({ agent: 'odd', model: 'claude-y' }, undefined, agents)).toMatchObject({ ok: true });
  });

  it('takes a model without a price only without a cost limit, and says how to leave that out', () => {
    expect(resolve({ model: 'claude-free' })).toMatchObject({
      ok: false,
      code: 'invalid_request',
      errors: [
        {
          pointer: '/limits/costUsd',
          detail: expect.stringContaining('Run it without one'),
        },
      ],
      nextActions: [{ action: 'task.drop_cost_limit' }],
    });
    expect(resolve({ model: 'claude-free', limits: { costUsd: null } })).toMatchObject({ ok: true });
  });

  it.each([
    [{ agent: 'nobody' }, 'unknown_agent', '/agent'],
    [{ model: 'gpt' }, 'invalid_request', '/model'],
    [{ agent: 'typed', input: { folder: 1 } }, 'invalid_input', '/input'],
    [{ agent: 'typed' }, 'invalid_input', '/input'],
    [{ outputSchema: { type: 'broken' } }, 'invalid_request', '/outputSchema'],
  ])('refuses %j as %s', (body, code, pointer) => {
    expect(resolve(body)).toMatchObject({ ok: false, code, errors: [{ pointer }] });
  });
});
