import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { parseEnv, upSettings } from '@bullpen/platform';
import { extensionChecks } from './extension-checks.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bullpen-doctor-'));
  mkdirSync(join(home, 'extensions/agents'), { recursive: true, mode: 0o755 });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (name: string, more = ''): void =>
  writeFileSync(
    join(home, 'extensions/agents', `${name}.md`),
    `---\nname: ${name}\ndescription: Does things.\n${more}---\nYou do things.\n`,
    { mode: 0o644 },
  );
const checks = (env: Record<string, string> = {}) =>
  extensionChecks(parseEnv(upSettings, { BULLPEN_HOME: home, ...env }));

it('says what was added, and where it would be looked for', async () => {
  expect(await checks()).toEqual([
    { name: 'Extensions', status: 'info', proof: `0 agents and 0 tools from ${home}/extensions` },
  ]);
  write('reviewer');
  expect(await checks()).toEqual([
    { name: 'Extensions', status: 'ok', proof: `1 agent (reviewer) and 0 tools from ${home}/extensions` },
  ]);
});

it('warns of each fault with its file and line, and counts none as a failure: the rest runs', async () => {
  write('reviewer', 'modle: x\ntool: [read_file]\n');
  const [, ...faults] = await checks({ EXTENSIONS: 'acme' });
  expect(faults.map(({ status }) => status)).toEqual(['warn', 'warn', 'warn']);
  expect(faults.map(({ proof }) => proof)).toEqual([
    expect.stringContaining('acme: EXTENSIONS names this module, but it is not installed'),
    expect.stringContaining('reviewer.md:4: there is no setting modle'),
    expect.stringContaining('reviewer.md:5: there is no setting tool; did you mean tools?'),
  ]);
});
