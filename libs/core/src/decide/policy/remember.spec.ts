/** What "approve and remember" writes: the narrowest rules under which the same call passes. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_ASKS, NO_RULES, type ApprovalSettings, type PolicyLayer } from '@bullpen/contracts';
import { fakeJudge } from '../../../test/fake-judge.js';
import { decide } from './decide.js';
import type { DecisionContext, PolicyCall } from './decision.js';
import { effectivePolicy, EMPTY_LAYER } from './layers.js';
import type { PolicyLayers } from '../../task/policy-layers.js';
import { rememberedRule } from './remember.js';
import { ALL_APPROVALS } from './settings.js';

const AGENT: DecisionContext = { autonomy: 'agent', offered: true, judgeCommand: fakeJudge };

function policyOf(off: Partial<ApprovalSettings>, layers: PolicyLayers = {}) {
  const definition = { approvals: { ...ALL_APPROVALS, ...off }, rules: NO_RULES, asks: DEFAULT_ASKS };
  return effectivePolicy(definition, layers);
}
const run = (command: string): PolicyCall => ({ tool: 'run_command', group: 'execute', facts: { command } });
const change = (path: string): PolicyCall => ({
  tool: 'write_file',
  group: 'write',
  facts: { paths: [{ path, access: 'write', place: 'inside' }] },
});
const commands = (more: Partial<PolicyLayer['rules']['commands']>): Partial<PolicyLayer> => ({
  rules: { ...NO_RULES, commands: { ...NO_RULES.commands, ...more } },
});
const files = (exceptions: string[]): Partial<PolicyLayer> => ({
  rules: { ...NO_RULES, files: { ...NO_RULES.files, exceptions } },
});
const WRITE_OFF = { alwaysAllowWrite: false };
const EXECUTE_OFF = { alwaysAllowExecute: false };

describe('rememberedRule', () => {
  it.each<[string, PolicyCall, Partial<ApprovalSettings>, Partial<PolicyLayer>]>([
    ['program and subcommand', run('npm run lint --fix src'), {}, commands({ allow: ['npm run lint'] })],
    ['program and first operand', run('npm ci'), {}, commands({ allow: ['npm ci'] })],
    ['a bare program word for word', run('make'), {}, commands({ exceptions: ['make'] })],
    ['flags in front word for word', run('tool -x build'), {}, commands({ exceptions: ['tool -x build'] })],
    ['a dangerous command word for word', run('rm -r dist'), {}, commands({ exceptions: ['rm -r dist'] })],
    [
      'each command of a line by itself',
      run('npm ci; ls; rm -r dist'),
      {},
      commands({ allow: ['npm ci'], exceptions: ['rm -r dist'] }),
    ],
    ['the category where no list helps', run('ls'), EXECUTE_OFF, { approvals: { alwaysAllowExecute: true } }],
    [
      'the category and the list where both are needed',
      run('npm ci'),
      EXECUTE_OFF,
      { approvals: { alwaysAllowExecute: true }, ...commands({ allow: ['npm ci'] }) },
    ],
    ['the category of a tool', change('src/a.ts'), WRITE_OFF, { approvals: { alwaysAllowWrite: true } }],
    ['the very file that is protected', change('docs/AGENTS.md'), {}, files(['docs/AGENTS.md'])],
    [
      'the protected file and the category',
      change('AGENTS.md'),
      WRITE_OFF,
      { approvals: { alwaysAllowWrite: true }, ...files(['AGENTS.md']) },
    ],
    [
      'the name of a tool of a server',
      { tool: 'mcp_x', group: 'mcp', facts: {} },
      {},
      { rules: { ...NO_RULES, tools: { allow: ['mcp_x'], deny: [] } } },
    ],
  ])('names %s', (_, call, off, expected) => {
    const remembered = rememberedRule(call, policyOf(off), AGENT);
    expect(remembered?.patch).toEqual({ ...EMPTY_LAYER, ...expected });
    expect(remembered?.sentence).toMatch(/^From now on, agents may .+ without asking\.$/);
    const again = policyOf(off, { task: remembered?.patch });
    expect(decide(call, again, AGENT).verdict).toBe('approve');
  });

  it('does not let another thing pass with it', () => {
    const remembered = rememberedRule(run('rm -r dist'), policyOf({}), AGENT);
    const after = policyOf({}, { task: remembered?.patch });
    for (const line of ['rm -r src', 'rm -r dist x', 'build it'])
      expect(decide(run(line), after, AGENT).verdict).toBe('ask');
  });

  it.each<[string, PolicyCall, PolicyLayers]>([
    ['what is approved', run('ls'), {}],
    ['what is catastrophic', run('mkfs x'), {}],
    [
      'what the tool itself asks for',
      {
        tool: 't',
        group: 'write',
        facts: { tightened: { verdict: 'ask', rule: 'r', reason: 'R.' } },
      },
      {},
    ],
    ['a file whose name is a pattern', change('.git/*'), {}],
    [
      'what a wider layer locks',
      change('a.ts'),
      { installation: { ...EMPTY_LAYER, approvals: WRITE_OFF, locked: ['alwaysAllowWrite'] } },
    ],
  ])('has nothing to remember for %s', (_, call, layers) => {
    expect(rememberedRule(call, policyOf({}, layers), AGENT)).toBeNull();
  });
});
