/** Layers: what a narrower one may change, and what the subtasks and submitters of an agent cannot get round. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_ASKS, NO_RULES, PolicyLayer, type PolicyRules } from '@bullpen/contracts';
import {
  addRules,
  effectivePolicy,
  EMPTY_LAYER,
  mergeLayer,
  narrowedPolicy,
  submissionDefaults,
} from './layers.js';
import { ALL_APPROVALS, DEFAULT_APPROVALS, type Category } from './settings.js';

const WRITE: Category = 'alwaysAllowWrite';
const layer = (value: boolean | null, isLocked = false): PolicyLayer => ({
  approvals: value === null ? {} : { [WRITE]: value },
  locked: isLocked ? [WRITE] : [],
  rules: NO_RULES,
});
const commands = (more: Partial<PolicyRules['commands']>): PolicyRules => ({
  ...NO_RULES,
  commands: { ...NO_RULES.commands, ...more },
});
const definition = (on: boolean, rules = NO_RULES) => ({
  approvals: { ...DEFAULT_APPROVALS, [WRITE]: on },
  rules,
  asks: DEFAULT_ASKS,
});

describe('effectivePolicy', () => {
  it.each([
    ['the definition alone', undefined, undefined, true, undefined, true],
    ['the definition over installation and project', layer(true), layer(true), false, undefined, false],
    ['the definition over an unlocked no', layer(false), undefined, true, undefined, true],
    ['a locked no over all below', layer(false, true), layer(true), true, layer(true), false],
    ['a locked no of the project', layer(true), layer(false, true), true, layer(true), false],
    [
      'a lock without a value, on what is off by default',
      layer(null, true),
      undefined,
      true,
      layer(true),
      false,
    ],
    [
      'a lock without a value, on what a wider layer turned on',
      layer(true),
      layer(null, true),
      true,
      undefined,
      true,
    ],
    ['a locked yes, which may be turned off', layer(true, true), undefined, false, undefined, false],
    ['a locked yes, which may come on again', layer(true, true), layer(false), true, undefined, true],
    ['what was remembered for the task', undefined, undefined, false, layer(true), true],
    ['what was turned off for the task', undefined, undefined, true, layer(false), false],
  ])('follows %s', (_, installation, project, on, task, expected) => {
    const policy = effectivePolicy(definition(on), { installation, project, task });
    expect(policy.approvals[WRITE]).toBe(expected);
    expect(policy.approvals).toEqual({ ...DEFAULT_APPROVALS, [WRITE]: expected });
  });

  it('joins the lists of all layers, each entry once', () => {
    const with_ = (entry: string): PolicyLayer => ({
      ...EMPTY_LAYER,
      rules: {
        commands: { allow: [entry], deny: ['same'], exceptions: [entry] },
        tools: { allow: [entry], deny: [entry] },
        files: { protect: [entry], exceptions: [entry] },
        network: { allow: [entry], deny: [entry] },
      },
    });
    const layers = { installation: with_('i'), project: with_('p'), task: with_('t') };
    const { rules } = effectivePolicy(definition(true, with_('d').rules), layers);
    const all = ['i', 'p', 'd', 't'];
    expect(rules).toEqual({
      commands: { allow: all, deny: ['same'], exceptions: all },
      tools: { allow: all, deny: all },
      files: { protect: all, exceptions: all },
      network: { allow: all, deny: all },
    });
  });

  it('says which categories nobody below can turn on', () => {
    expect(effectivePolicy(definition(true), { project: layer(false, true) }).locked).toEqual([WRITE]);
    expect(effectivePolicy(definition(true), { project: layer(true, true) }).locked).toEqual([]);
  });
});

describe('submissionDefaults', () => {
  it('are those of installation and project, whatever was remembered for a task', () => {
    expect(submissionDefaults({}).approvals).toEqual(DEFAULT_APPROVALS);
    expect(submissionDefaults({ installation: layer(true), task: layer(false) }).approvals[WRITE]).toBe(true);
    expect(submissionDefaults({ installation: layer(false, true), project: layer(true) })).toMatchObject({
      approvals: { [WRITE]: false },
      locked: [WRITE],
    });
  });
});

describe('addRules', () => {
  it.each([
    ['git push', 'git push origin', []],
    ['git push', '/usr/bin/git -C x push origin', []],
    ['git push --force', 'git push origin main', []],
    ['git push', 'git pull', ['git pull']],
    ['git push', 'npm push', ['npm push']],
    ['npm', 'npm ci', []],
  ])('an agent that denies %j and a submitter who allows %j give %j', (deny, allow, expected) => {
    const added = addRules(commands({ deny: [deny] }), commands({ allow: [allow] }));
    expect(added.commands).toEqual({ allow: expected, deny: [deny], exceptions: [] });
  });

  it('leaves the agent’s lists as they are without others', () => {
    const own = commands({ allow: ['npm ci'] });
    expect(addRules(own, undefined)).toBe(own);
  });
});

describe('narrowedPolicy', () => {
  it('gives a subtask what both sides allow, and all that either denies', () => {
    const parent = {
      approvals: { ...ALL_APPROVALS, alwaysAllowBrowser: false },
      rules: {
        commands: { allow: ['npm ci', 'git push origin'], deny: ['curl'], exceptions: ['rm -r dist'] },
        tools: { allow: ['mcp_a'], deny: ['write_file'] },
        files: { protect: ['db'], exceptions: ['AGENTS.md'] },
        network: { allow: ['a.test'], deny: ['b.test'] },
      },
      asks: { ...DEFAULT_ASKS, expiresAfterMs: 5_000 },
    };
    const agent = {
      approvals: { ...ALL_APPROVALS, alwaysAllowWrite: false },
      rules: {
        commands: { allow: ['docker run'], deny: ['git push'], exceptions: ['rm -r src'] },
        tools: { allow: ['mcp_b'], deny: ['edit_file'] },
        files: { protect: ['etc'], exceptions: ['.env'] },
        network: { allow: ['c.test'], deny: ['d.test'] },
      },
      asks: DEFAULT_ASKS,
    };
    expect(narrowedPolicy(parent, agent)).toEqual({
      approvals: { ...ALL_APPROVALS, alwaysAllowBrowser: false, alwaysAllowWrite: false },
      rules: {
        commands: { allow: ['npm ci'], deny: ['git push', 'curl'], exceptions: ['rm -r dist'] },
        tools: { allow: ['mcp_a'], deny: ['edit_file', 'write_file'] },
        files: { protect: ['etc', 'db'], exceptions: ['AGENTS.md'] },
        network: { allow: ['a.test'], deny: ['d.test', 'b.test'] },
      },
      asks: parent.asks,
    });
  });
});

describe('mergeLayer', () => {
  it('overrides categories, joins lists and locks, and gives a layer that can be stored', () => {
    const before: PolicyLayer = {
      approvals: { [WRITE]: false },
      locked: [WRITE],
      rules: commands({ deny: ['x'] }),
    };
    const patch: PolicyLayer = {
      approvals: { [WRITE]: true, alwaysAllowMcp: true },
      locked: ['alwaysAllowMcp', WRITE],
      rules: commands({ allow: ['y'], deny: ['x', 'z'] }),
    };
    const merged = mergeLayer(before, patch);
    expect(merged).toEqual({
      approvals: { [WRITE]: true, alwaysAllowMcp: true },
      locked: [WRITE, 'alwaysAllowMcp'],
      rules: commands({ allow: ['y'], deny: ['x', 'z'] }),
    });
    expect(PolicyLayer.parse(merged)).toEqual(merged);
  });

  it('forgets the oldest of what it allows when a list is full', () => {
    const full = Array.from({ length: 500 }, (_, at) => `c${at}`);
    const merged = mergeLayer(
      { ...EMPTY_LAYER, rules: commands({ allow: full }) },
      { ...EMPTY_LAYER, rules: commands({ allow: ['new'] }) },
    );
    expect(PolicyLayer.safeParse(merged).success).toBe(true);
    expect(merged.rules.commands.allow).toEqual([...full.slice(1), 'new']);
  });
});
