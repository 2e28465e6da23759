/** Agents of the folder in which a command is started: shown as they would be, handed in with a task, checked with the line. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { builtInAgents } from '@bullpen/extensions';
import { BUILT_IN_TOOLS } from '@bullpen/tools';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunResult } from '../../test/fake-terminal.js';

const FILE = '.bullpen/agents/reviewer.md';
const reviewer = `---
name: reviewer
description: Reviews texts.
tools: [read_file, present_plan]
approvals: high
limits: { turns: 5000, costUsd: '100' }
---
You review.
`;

let gateway: FakeGateway;
let cwd: string;
beforeEach(async () => {
  gateway = await startFakeGateway();
  const data = builtInAgents().map(
    ({ profiles: _chain, helper: _helper, keepBodies: _bodies, workspaceAgents: _none, ...agent }) => ({
      ...{ ...agent, model: 'claude-test', source: { kind: 'built-in', name: agent.name } },
    }),
  );
  gateway.answers.set('/v1/agents', { data });
  cwd = mkdtempSync(join(tmpdir(), 'bullpen-agents-'));
  mkdirSync(join(cwd, '.bullpen/agents'), { recursive: true });
  writeFileSync(join(cwd, FILE), reviewer);
});
afterEach(async () => {
  await gateway.close();
  rmSync(cwd, { recursive: true, force: true });
});

const run = (...args: string[]): Promise<RunResult> =>
  runCli(args, { cwd, columns: 140, env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' } });

describe('agents of this folder', () => {
  it('are listed after those of the installation, with their file, and shown as far as they may go', async () => {
    const { out, err } = await run('agents');
    expect(err).toBe('');
    expect(out.split('\n').find((line) => line.startsWith('reviewer'))).toMatch(
      /\.bullpen\/agents\/reviewer\.md \(this folder\)/,
    );
    const shown = JSON.parse((await run('agents', 'show', 'reviewer', '--json')).out) as object;
    expect(shown).toMatchObject({
      source: { kind: 'workspace', name: FILE },
      file: { path: FILE },
      limits: { turns: 200, costUsd: '5.00' },
    });
  });

  it('have no tools where the file lists none, and those that are listed else', async () => {
    writeFileSync(
      join(cwd, '.bullpen/agents/idle.md'),
      reviewer.replace('reviewer', 'idle').replace(/tools: .*/, 'tools: []'),
    );
    writeFileSync(
      join(cwd, '.bullpen/agents/mute.md'),
      reviewer.replace('reviewer', 'mute').replace(/tools: .*\n/, ''),
    );
    const { out } = await run('agents');
    for (const name of ['idle', 'mute']) expect(out).toMatch(new RegExp(`^${name} .* none `, 'm'));
    expect(out).toMatch(/^reviewer .* 1 /m);
  });

  it('go with a task, from --dir or from here; a folder without any sends none', async () => {
    const agentFiles = [{ path: FILE, text: reviewer }];
    await run('submit', 'Look', '--agent', 'reviewer');
    await run('submit', 'Look', '--dir', cwd);
    await run('submit', 'Look', '--dir', tmpdir());
    expect(gateway.requests.map(({ body }) => (body as { agentFiles?: unknown }).agentFiles)).toEqual([
      ...[agentFiles, agentFiles],
      undefined,
    ]);
  });

  it('are left out when something is wrong with them, which is said with the line, and the rest is listed', async () => {
    writeFileSync(
      join(cwd, '.bullpen/agents/bad.md'),
      reviewer.replace('tools: [read_file', 'tools: [raed_file'),
    );
    writeFileSync(join(cwd, '.bullpen/agents/general.md'), reviewer.replace('reviewer', 'general'));
    symlinkSync('/etc/passwd', join(cwd, '.bullpen/agents/link.md'));
    const listed = await run('agents');
    expect(listed.out).toContain('reviewer');
    expect(listed.err.trim().split('\n')).toEqual([
      expect.stringMatching(/^left out: \.bullpen\/agents\/link\.md: .*outside/),
      expect.stringMatching(/^left out: \.bullpen\/agents\/bad\.md:4: tools: there is no tool raed_file/),
      expect.stringMatching(/^left out: \.bullpen\/agents\/general\.md:2: name: general is the name/),
    ]);
    const checked = await run('agents', 'check');
    expect(checked).toMatchObject({ code: 2, err: 'error: 3 problems in agent files.\n' });
    expect(checked.out).toContain('.bullpen/agents/bad.md:4: tools: there is no tool raed_file');
  });

  it('do not make a folder the home of a Bullpen: the one of the person counts', async () => {
    const config = join(cwd, 'config');
    mkdirSync(join(config, 'bullpen'), { recursive: true });
    const contexts = { current: 'team', contexts: { team: { url: gateway.url, key: 'k1' } } };
    writeFileSync(join(config, 'bullpen/contexts.json'), JSON.stringify(contexts), { mode: 0o600 });
    expect((await runCli(['agents'], { cwd, env: { XDG_CONFIG_HOME: config } })).code).toBe(0);
  });

  it('are fine to the check with every tool that ships', async () => {
    writeFileSync(join(cwd, FILE), reviewer.replace(/tools: .*/, `tools: [${BUILT_IN_TOOLS.join(', ')}]`));
    expect(await run('agents', 'check')).toMatchObject({ code: 0, out: 'reviewer: nothing is wrong\n' });
    expect(await run('agents', 'check', FILE)).toMatchObject({ code: 0 });
  });
});
