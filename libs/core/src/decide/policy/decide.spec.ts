/** Decisions: the order of the rules, and that a denial beats an ask beats an approval. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_ASKS, NO_RULES, type ApprovalSettings, type PolicyRules } from '@bullpen/contracts';
import { fakeJudge } from '../../../test/fake-judge.js';
import type { CallFacts, PathPlace } from '../../ports/tool.js';
import { offeredIn } from '../../task/autonomy.js';
import { decide, withoutAnyone } from './decide.js';
import type { DecisionContext, PolicyCall } from './decision.js';
import { effectivePolicy, EMPTY_LAYER, type EffectivePolicy } from './layers.js';
import { ALL_APPROVALS, CATEGORY_OF, DEFAULT_APPROVALS } from './settings.js';

const AGENT: DecisionContext = { autonomy: 'agent', offered: true, judgeCommand: fakeJudge };

function policy(approvals: Partial<ApprovalSettings> = {}, rules: PolicyRules = NO_RULES): EffectivePolicy {
  const definition = { approvals: { ...ALL_APPROVALS, ...approvals }, rules, asks: DEFAULT_ASKS };
  return effectivePolicy(definition, {});
}

function call(group: PolicyCall['group'], facts: CallFacts = {}, tool = `${group}_tool`): PolicyCall {
  return { tool, group, facts };
}

const run = (command: string): PolicyCall => call('execute', { command }, 'run_command');
const touch = (path: string, access: 'read' | 'write' = 'write', place: PathPlace = 'inside'): PolicyCall =>
  call(access, { paths: [{ path, access, place }] }, `${access}_file`);
const rules = (more: {
  [K in keyof PolicyRules]?: Partial<PolicyRules[K]>;
}): PolicyRules => ({
  commands: { ...NO_RULES.commands, ...more.commands },
  tools: { ...NO_RULES.tools, ...more.tools },
  files: { ...NO_RULES.files, ...more.files },
  network: NO_RULES.network,
});

describe('decide', () => {
  const groups = Object.keys(CATEGORY_OF) as (keyof typeof CATEGORY_OF)[];

  it.each(groups)('approves %s when its category is on, and never when it is off', (group) => {
    const facts = group === 'execute' ? { command: 'ls' } : {};
    const listed = rules({ tools: { allow: ['mcp_tool'] } });
    expect(decide(call(group, facts), policy({}, listed), AGENT).verdict).toBe('approve');
    const off = decide(call(group, facts), policy({ [CATEGORY_OF[group]]: false }, listed), AGENT);
    expect(off).toMatchObject({
      verdict: group === 'question' ? 'deny' : 'ask',
      rule: CATEGORY_OF[group],
      code: group === 'question' ? 'questions_off' : 'category_off',
    });
  });

  it('approves the result whatever the settings and lists say', () => {
    const off = rules({ tools: { deny: ['complete_task'] } });
    expect(
      decide(call('completion', {}, 'complete_task'), policy(DEFAULT_APPROVALS, off), AGENT),
    ).toMatchObject({
      verdict: 'approve',
      rule: 'completion',
    });
  });

  it('tells an agent that may not ask to decide by itself', () => {
    const { reason } = decide(call('question'), policy({ alwaysAllowFollowupQuestions: false }), AGENT);
    expect(reason).toContain('Decide yourself, and state your assumption');
  });

  it.each([
    ['chat', groups, []],
    ['plan', ['write', 'execute', 'browser', 'mcp', 'mode', 'subtask'], ['read', 'todo', 'question']],
    ['agent', [], groups],
    ['background', [], groups],
  ] as const)('in %s refuses %j and offers %j', (autonomy, refused, offered) => {
    for (const group of refused) {
      expect(offeredIn(autonomy, group)).toBe(false);
      expect(decide(call(group), policy(), { ...AGENT, autonomy })).toMatchObject({
        verdict: 'deny',
        rule: 'autonomy',
        code: 'not_offered',
      });
    }
    for (const group of offered) {
      expect(offeredIn(autonomy, group)).toBe(true);
      expect(decide(call(group), policy(), { ...AGENT, autonomy }).code).not.toBe('not_offered');
    }
    expect(offeredIn(autonomy, 'completion')).toBe(autonomy !== 'chat');
  });

  it('refuses a tool that the task has not, whatever else holds', () => {
    expect(decide(call('read'), policy(), { ...AGENT, offered: false })).toMatchObject({
      verdict: 'deny',
      rule: 'tools',
      code: 'not_offered',
    });
  });

  it('lets a tool tighten, and never loosen', () => {
    const tightened = { verdict: 'ask', rule: 'big', reason: 'It is big.' } as const;
    expect(decide(call('write', { tightened }), policy(), AGENT)).toMatchObject({
      ...tightened,
      code: 'tightened_by_tool',
    });
    const denied = rules({ tools: { deny: ['write_tool'] } });
    expect(decide(call('write', { tightened }), policy({}, denied), AGENT)).toMatchObject({
      verdict: 'deny',
      rule: 'tools.deny',
    });
  });

  it('asks about a tool of a server that is not listed, and about a command that it cannot see', () => {
    expect(decide(call('mcp'), policy(), AGENT)).toMatchObject({ verdict: 'ask', code: 'tool_not_listed' });
    expect(decide(call('execute'), policy(), AGENT)).toMatchObject({
      verdict: 'ask',
      code: 'command_unknown',
    });
  });

  it('does not take a listed tool for a category that is on', () => {
    const listed = rules({ tools: { allow: ['write_tool'] } });
    expect(decide(call('write'), policy({ alwaysAllowWrite: false }, listed), AGENT).verdict).toBe('ask');
  });

  it.each([
    ['ls', 'approve', 'approve.known'],
    ['build it', 'ask', 'program.unknown'],
    ['rm -r x', 'ask', 'dangerous.delete'],
    ['mkfs /dev/sda', 'deny', 'dangerous.disk_erase'],
    ['ls; rm -r x', 'ask', 'dangerous.delete'],
  ])('judges %s: %s', (line, verdict, rule) => {
    const decision = decide(run(line), policy(), AGENT);
    expect(decision).toMatchObject({ verdict, rule, code: `because_${rule.replace('.', '_')}` });
    expect(decision.parts).toHaveLength(line.split(';').length);
    expect(decision.part).toBeDefined();
  });

  it.each([
    [
      'a catastrophic one stays denied',
      'mkfs /dev/sda',
      { exceptions: ['mkfs /dev/sda'], allow: ['mkfs'] },
      'deny',
    ],
    ['an allow entry does not lift a danger', 'rm -r x', { allow: ['rm'] }, 'ask'],
    ['an exact exception does', 'rm -r x', { exceptions: ['rm -r x'] }, 'approve'],
    ['but not for another line', 'rm -r y', { exceptions: ['rm -r x'] }, 'ask'],
    ['deny wins a tie', 'build it', { allow: ['build'], deny: ['build'] }, 'deny'],
    ['the longer entry wins', 'build it', { allow: ['build it'], deny: ['build'] }, 'approve'],
  ])('command lists: %s', (_, line, commands, verdict) => {
    expect(decide(run(line), policy({}, rules({ commands })), AGENT).verdict).toBe(verdict);
  });

  it('asks for every command while they are off, and says that it is the category', () => {
    expect(decide(run('ls'), policy({ alwaysAllowExecute: false }), AGENT)).toMatchObject({
      verdict: 'ask',
      rule: 'alwaysAllowExecute',
      code: 'category_off',
      parts: [expect.objectContaining({ text: 'ls' })],
    });
    expect(decide(run('mkfs x'), policy({ alwaysAllowExecute: false }), AGENT).verdict).toBe('deny');
  });

  it.each([
    ['src/a.ts', 'read', 'inside', 'approve', 'category_on'],
    ['src/a.ts', 'write', 'inside', 'approve', 'category_on'],
    ['../x', 'read', 'outside', 'deny', 'outside_workspace'],
    ['private/x', 'read', 'hidden', 'deny', 'hidden_file'],
    ['.github/workflows/ci.yml', 'read', 'protected', 'approve', 'category_on'],
    ['.github/workflows/ci.yml', 'write', 'inside', 'ask', 'protected_file'],
    ['.env', 'read', 'inside', 'ask', 'secret_file'],
    ['.env', 'write', 'inside', 'ask', 'secret_file'],
  ] as const)('%s, to %s, %s: %s', (path, access, place, verdict, code) => {
    expect(decide(touch(path, access, place), policy(), AGENT)).toMatchObject({ verdict, code });
  });

  it('asks about a protected file also where its category is off or a second path is denied', () => {
    expect(decide(touch('AGENTS.md'), policy({ alwaysAllowWrite: false }), AGENT).code).toBe(
      'protected_file',
    );
    const paths = [
      { path: 'AGENTS.md', access: 'write', place: 'inside' },
      { path: '/etc/x', access: 'write', place: 'outside' },
    ] as const;
    expect(decide(call('write', { paths }), policy(), AGENT).code).toBe('outside_workspace');
  });

  it('lifts a protection by an exact exception, for that file only, and not the category', () => {
    const listed = rules({ files: { exceptions: ['AGENTS.md'] } });
    expect(decide(touch('AGENTS.md'), policy({}, listed), AGENT).verdict).toBe('approve');
    expect(decide(touch('docs/AGENTS.md'), policy({}, listed), AGENT).verdict).toBe('ask');
    expect(decide(touch('AGENTS.md'), policy({ alwaysAllowWrite: false }, listed), AGENT).code).toBe(
      'category_off',
    );
  });

  it('counts what a wider layer denies, however long a narrower layer’s entry is', () => {
    const installation = { ...EMPTY_LAYER, rules: rules({ commands: { deny: ['build'] } }) };
    const task = { ...EMPTY_LAYER, rules: rules({ commands: { allow: ['build it now'] } }) };
    const definition = { approvals: ALL_APPROVALS, rules: NO_RULES, asks: DEFAULT_ASKS };
    const both = effectivePolicy(definition, { installation, task });
    expect(decide(run('build it now'), both, AGENT)).toMatchObject({ verdict: 'deny', rule: 'list.deny' });
    const within = rules({ commands: { deny: ['build'], allow: ['build it'] } });
    const one = effectivePolicy(definition, { installation: { ...EMPTY_LAYER, rules: within } });
    expect(decide(run('build it now'), one, AGENT).verdict).toBe('approve');
  });
});

describe('withoutAnyone', () => {
  it('turns an ask into a denial that says what to do instead, and leaves the rest', () => {
    const asked = decide(run('rm -r x'), policy(), AGENT);
    expect(withoutAnyone(asked)).toMatchObject({ ...asked, verdict: 'deny', reason: expect.anything() });
    expect(withoutAnyone(asked).reason).toMatch(/Nobody can be asked.*Do not try again/);
    const approved = decide(run('ls'), policy(), AGENT);
    expect(withoutAnyone(approved)).toBe(approved);
  });
});
