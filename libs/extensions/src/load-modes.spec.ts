import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ModeMachine, machineProblems } from '@bullpen/core';
import { ENGLISH_PROMPTS, KOREAN_PROMPTS } from '@bullpen/core/testing/prompts';
import { builtInModes, loadExtensions, problemText } from './index.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bullpen-modes-'));
  mkdirSync(join(home, 'extensions/modes'), { recursive: true, mode: 0o755 });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(join(home, 'extensions/modes', `${name}.md`), text, { mode: 0o644 });
}

async function loaded() {
  const { modes, modeSources, problems } = await loadExtensions({
    home,
    modules: [],
    builtInTools: [],
    schemaIssues: () => [],
  });
  const own = problems.filter(({ file }) => file.startsWith(home));
  return {
    machine: new ModeMachine(modes),
    sources: modeSources,
    problems: own.map((problem) => problemText(problem).replace(`${home}/extensions/modes/`, '')),
  };
}

const NOTHING = { large_change: false, has_pending_changes: false, has_errors: false, tests_passed: false };

describe('the modes that ship', () => {
  const modes = builtInModes();
  const machine = new ModeMachine(modes);

  it('are 23, each with a way in from idle and a way back, and no two rules that tie', () => {
    expect(modes).toHaveLength(23);
    expect(machineProblems(modes)).toEqual([]);
    expect(modes[0]?.name).toBe('idle');
  });

  it('have every rule that the work needs', () => {
    const large = { ...NOTHING, large_change: true };
    const table: readonly (readonly [string, string, number, string, typeof NOTHING?])[] = [
      ['idle', 'search_intent', 10, 'context_navigation'],
      ['idle', 'code_intent', 10, 'implementation'],
      ['idle', 'error_intent', 10, 'debug'],
      ['idle', 'design_intent', 10, 'design'],
      ['context_navigation', 'target_found', 9, 'implementation'],
      ['context_navigation', 'bug_located', 9, 'debug'],
      ['context_navigation', 'architecture_needed', 8, 'design'],
      ['design', 'design_approved', 9, 'implementation'],
      ['design', 'large_change_planned', 9, 'multi_file_editing'],
      ['implementation', 'code_complete', 9, 'test'],
      ['implementation', 'code_complete', 10, 'multi_file_editing', large],
      ['implementation', 'error_occurred', 10, 'debug'],
      ['implementation', 'doc_needed', 7, 'documentation'],
      ['implementation', 'review_needed', 8, 'qa'],
      ['implementation', 'rejected', 10, 'context_navigation'],
      ['debug', 'fix_identified', 9, 'implementation'],
      ['debug', 'reproduce_needed', 8, 'test'],
      ['debug', 'impact_check_needed', 8, 'impact_analysis'],
      ['test', 'test_failed', 10, 'implementation'],
      ['test', 'tests_passed', 9, 'qa', { ...NOTHING, tests_passed: true }],
      ['qa', 'improvement_needed', 8, 'refactor'],
      ['qa', 'issues_found', 9, 'implementation'],
      ['qa', 'approved', 9, 'git_workflow'],
      ['refactor', 'refactor_complete', 9, 'test'],
      ['refactor', 'large_refactor', 8, 'multi_file_editing'],
      ['multi_file_editing', 'impact_check', 9, 'impact_analysis'],
      ['multi_file_editing', 'changes_ready', 9, 'test'],
      ['multi_file_editing', 'commit_ready', 8, 'git_workflow', { ...NOTHING, tests_passed: true }],
      ['impact_analysis', 'affected_tests', 9, 'test'],
      ['impact_analysis', 'additional_fixes', 8, 'implementation'],
      ['git_workflow', 'committed', 9, 'idle'],
      ['agent_planning', 'plan_ready', 9, 'implementation'],
      ['agent_planning', 'complex_plan', 9, 'multi_file_editing'],
      ['agent_planning', 'migration_plan', 8, 'migration'],
    ];
    for (const [from, on, priority, to, facts] of table)
      expect([from, on, machine.choose(from, on, facts ?? NOTHING)]).toMatchObject([
        from,
        on,
        { ok: true, rule: { to, priority } },
      ]);
  });

  it('tell an agent only of triggers that lead out of the mode, and of each that their rules have', () => {
    for (const { name, rules, prompt } of modes) {
      const triggers = modes.flatMap((mode) => mode.rules.map(({ on }) => on));
      const own = rules.map(({ on }) => on);
      const foreign = triggers.filter(
        (on) => on.includes('_') && !own.includes(on) && new RegExp(`\\b${on}\\b`).test(prompt),
      );
      expect([name, foreign]).toEqual([name, []]);
    }
  });

  it('are all among the modes that the labelled prompts ask for', () => {
    const asked = new Set([...ENGLISH_PROMPTS, ...KOREAN_PROMPTS].flatMap(({ modes }) => modes));
    expect([...asked].sort()).toEqual(modes.map(({ name }) => name).sort());
  });
});

describe('a mode file of the installation', () => {
  const security = (more = '') =>
    `---\nname: security_review\ndescription: Look for holes.\ngroups: [read]\nasks: nothing\nrules:\n  - { on: holes_found, to: implementation, means: there are holes }\n${more}---\nLook for holes.\n`;

  it('adds a mode with the ways into it', async () => {
    write(
      'security',
      security('entered:\n  - { from: qa, on: security_doubt, priority: 8, means: it may be unsafe }\n'),
    );
    const { machine, problems, sources } = await loaded();
    expect(problems).toEqual([]);
    expect(sources.get('security_review')).toEqual({ kind: 'file', name: 'modes/security.md' });
    expect(sources.get('qa')).toEqual({ kind: 'built-in', name: 'modes/qa.md' });
    expect(machine.choose('qa', 'security_doubt', NOTHING)).toMatchObject({
      ok: true,
      rule: { to: 'security_review' },
    });
    expect(machine.choose('security_review', 'abandoned', NOTHING)).toMatchObject({ ok: true });
  });

  it('takes the place of the mode that ships under its name', async () => {
    write(
      'debug',
      '---\nname: debug\nphase: 0\ndescription: Our way.\nrules:\n  - { on: fix_identified, to: implementation, means: known }\n  - { on: environment_suspected, to: environment_reproduction, means: elsewhere }\n---\nOur way.\n',
    );
    const { machine, problems } = await loaded();
    expect(problems).toEqual([]);
    expect(machine.mode('debug')).toMatchObject({ description: 'Our way.', prompt: 'Our way.' });
    expect(machine.choose('debug', 'reproduce_needed', NOTHING)).toMatchObject({ ok: false });
  });

  it.each([
    ['a mode that nothing leads to', security(), 'security.md:2: nothing leads from idle to security_review'],
    [
      'a rule to nowhere',
      security().replace('to: implementation', 'to: implementatio'),
      'security.md:7: holes_found leads to implementatio, and there is no such mode; did you mean implementation?',
    ],
    [
      'a way in from nowhere',
      security('entered:\n  - { from: qua, on: x, means: y }\n'),
      'security.md:2: entered: there is no mode qua; did you mean qa?',
    ],
    [
      'a rule that ties with one that ships',
      security('entered:\n  - { from: qa, on: approved, means: y }\n'),
      'security.md:2: approved to security_review ties with the rule to git_workflow: give one of them another priority',
    ],
    [
      'a key that is wrong',
      security('enterd: []\n'),
      'security.md:8: there is no setting enterd; did you mean entered?',
    ],
    [
      'a wrong key of a rule',
      security().replace('means:', 'mean:'),
      /security\.md:7: there is no setting rules\.0\.mean; did you mean means\?/,
    ],
    [
      'a group that is none',
      security().replace('[read]', '[raed]'),
      /security\.md:4: groups\.0: expected one of/,
    ],
    ['no text', security().replace('---\nLook for holes.\n', '---\n'), /that text is what the agent is told/],
  ])('with %s is left out and told about, and the rest works', async (_what, text, message) => {
    write('security', text);
    const { machine, problems } = await loaded();
    expect(machine.modes).toHaveLength(23);
    expect(problems.join('\n')).toMatch(
      message instanceof RegExp ? message : new RegExp(`^${message.replaceAll(/[.?()[\]]/g, '\\$&')}`),
    );
  });
});
