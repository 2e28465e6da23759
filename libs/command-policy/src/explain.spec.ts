import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { explainVerdict } from './explain.js';
import { judgeCommand } from './judge-command.js';
import { lexicalContext } from './lexical-context.js';
import { reasonOf, RULE_IDS } from './rules.js';
import { DEFAULT_COMMAND_POLICY } from './types.js';

const explain = (line: string) =>
  explainVerdict(judgeCommand(line, DEFAULT_COMMAND_POLICY, lexicalContext()));

describe('the explanation of a verdict', () => {
  it('is one line that says what happens, why, where, and by which rule', () => {
    expect(explain('ls')).toBe('Runs without asking: It only reads what agents may see. [approve.known]');
    expect(explain('ls && rm -rf dist')).toBe(
      'Needs approval: rm deletes files. At `rm -rf dist`. [dangerous.delete]',
    );
    expect(explain('rm -rf /')).toMatch(/^Refused: .* \[dangerous\.delete_system\]$/);
  });

  it('shows what a terminal would obey as its code', () => {
    expect(explain('ls \u001b[2J\r\n\u202e x')).toMatch(/^[ -~…]+$/);
    expect(explain('cat > a <<E\n$x\nE')).not.toContain('\n');
  });
});

describe('the rules', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

  it('are all in the README, with their reasons', () => {
    expect(
      RULE_IDS.filter((rule) => !readme.includes(`\`${rule}\``) || !readme.includes(`\`${reasonOf(rule)}\``)),
    ).toEqual([]);
  });
});
