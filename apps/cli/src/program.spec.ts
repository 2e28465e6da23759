import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCli } from '../test/fake-terminal.js';
import { COMMANDS } from './command-list.js';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'bullpen-cli-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = (args: string[], more: object = {}) => runCli(args, { cwd, ...more });

describe('the command line', () => {
  it('prints help with examples first, on stdout, and ends well', async () => {
    const { code, out, err } = await run(['--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out.indexOf('Examples:')).toBe(0);
    expect(out).toContain('Exit codes:');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each(Object.keys(COMMANDS))('lists %s as the command declares itself', async (name) => {
    const { out } = await run([name, '--help']);
    const usage = new RegExp(`^Usage: bullpen ${name}\\S*(.*)$`, 'm').exec(out)?.[1] ?? '';
    // A group of commands has options of its own only where it is a command as well.
    const listed = COMMANDS[name]?.usage ?? '';
    expect(usage.replace(' [command]', '').replace(' [options]', '').trim()).toBe(
      listed.replace('[options]', '').trim(),
    );
  });

  it.each([
    'up',
    'demo',
    'run',
    'submit',
    'tasks list',
    'tasks show',
    'tasks watch',
    'tasks tree',
    'tasks logs',
    'tasks export',
    'tasks import',
    'tasks transitions',
    'tasks transition',
    'cancel',
    'retry',
    'failures',
    'prune',
    'message',
    'messages',
    'rewind',
    'usage',
    'search',
    'queues',
    'queues drain',
    'workers',
    'workers pause',
    'providers list',
    'providers resume',
    'tenants',
    'tenants list',
    'tenants create',
    'tenants set',
    'tenants key',
    'agents',
    'agents check',
    'modes',
    'modes suggest',
    'models',
    'index',
    'open',
    'doctor',
    'migrate',
    'completion',
  ])('shows examples first in the help of %s, and the global options', async (name) => {
    const { code, out } = await run([...name.split(' '), '--help']);
    expect(code).toBe(0);
    expect(out.startsWith('Examples:\n')).toBe(true);
    expect(out).toContain('--json');
  });

  it('prints its version', async () =>
    expect(await run(['--version'])).toEqual({ code: 0, out: '0.0.1\n', err: '' }));

  it.each([
    [['task', 'lst'], /Did you mean one of list/],
    [['dmo'], /Did you mean demo\?/],
    [['tasks', 'list', '--stat', 'x'], /Did you mean --state\?/],
    [['tasks', 'list', '--state', 'runing'], /"runing" is not one of queued, running/],
    [['tasks', 'list', '--limit', '0'], /at least 1/],
    [['tasks', 'show'], /missing required argument 'id'/],
    [['usage', '--by', 'week'], /Allowed choices are day, model, agent/],
    [['run', 'x', '--allow', 'write,all'], /"all" is not one of write, execute, subtasks, todos/],
    [['run', 'x', '--allow-host', '10.0.0.1'], /addresses cannot be opened/],
    [['run', 'x', '--allow-host', '*'], /a star stands only in front/],
    [['policy', 'allow', 'localhost', '--kind', 'host'], /a name needs a dot/],
    [['run', 'x', '--budget', 'much'], /US dollars/],
    [['run', 'x', '--turns', '1.5'], /whole number/],
    [['message', `task_${'0'.repeat(26)}`, ' '], /The message is empty/],
  ])('refuses %j with exit code 2', async (args, message) => {
    const { code, out, err } = await run(args);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([2, '']);
  });

  it.each([
    [['submit'], /Say what the agent should do/],
    [['submit', '-', '--input', '-'], /Only one of/],
    [['submit', 'x', '--in-place'], /give it with --dir/],
    [['submit', 'x', '--ref', 'main'], /give it with --git/],
    [['submit', 'x', '--git', 'https://h/r', '--dir', '.'], /one of --dir, --git and --fork/],
    [['submit', 'x', '--git', 'git@h:r.git'], /ssh is not supported/],
    [['submit', 'x', '--git', 'https://u:TOKEN@h/r.git'], /^(?![^]*TOKEN)[^]*GIT_CREDENTIALS/],
    [['submit', 'x', '--dir', 'nowhere'], /there is no folder/],
    [['submit', 'x', '--input', '{"a":'], /--input is not JSON/],
    [['submit', 'x', '--input', '@nowhere.json'], /cannot be read/],
    [['submit', 'x', '--output-schema', '[1]'], /JSON/],
  ])('refuses the task of %j with exit code 2', async (args, message) => {
    const { code, err } = await run(args);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });

  it('says what to do when nothing runs, with exit code 9', async () => {
    const { code, err } = await run(['tasks', 'list']);
    expect(code).toBe(9);
    expect(err).toContain('No running Bullpen found');
    expect(err).toContain('next: start one: npm start');
  });

  it('gives errors as a document with --json, wherever the flag stands', async () => {
    for (const args of [
      ['tasks', 'list', '--json'],
      ['--json', 'tasks', 'list'],
    ]) {
      const { code, out, err } = await run(args);
      expect([code, err]).toEqual([9, '']);
      expect(JSON.parse(out)).toMatchObject({
        error: { exitCode: 9, nextActions: [expect.stringContaining('npm start'), expect.anything()] },
      });
    }
  });

  it('names all settings that are wrong before anything starts', async () => {
    const { code, err } = await run(['up'], { env: { PORT: 'x', WORKERS: '0' } });
    expect(code).toBe(1);
    expect(err).toMatch(/PORT:[^]*WORKERS:/);
  });

  it('refuses a demo of what is no folder', async () => {
    writeFileSync(join(cwd, 'file'), '');
    expect((await run(['demo', 'nowhere'])).err).toContain('There is no folder');
    expect(await run(['demo', 'file'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not a folder') as unknown,
    });
  });

  it('completes commands and options', async () => {
    const { out } = await run(['completion', 'bash']);
    expect(out).toMatch(/"tasks"\) words="list show watch tree logs diff download export import prompts/);
    expect(out).toMatch(/"tasks list"\) words="[^"]*--state[^"]*--json/);
    expect(out).toContain('complete -o default -F _bullpen bullpen');
  });
});
