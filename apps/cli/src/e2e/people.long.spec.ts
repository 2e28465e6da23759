/**
 * People at the terminal: what agents ask there, what is answered elsewhere, and conversations. Real gateway, worker and
 * terminals. Slow, because each test starts the real program, often several times.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type BullpenClient } from '@bullpen/client';
import { defineScenario, startModelSim, type ModelSim } from '@bullpen/model-sim';
import {
  assertNoProcessLeft,
  startProcess,
  testDatabase,
  waitFor,
  type TestDatabase,
  type TestProcess,
} from '@bullpen/testing';
import { KEY, Pty } from '../../test/pty.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const BIN = join(ROOT, 'apps/cli/bin/bullpen.js');
const FIRST = KEY.down + KEY.enter;

/** Asks two things at once; for `slow` it takes its time over an answer. All other agents are played by the generic one. */
const scenario = defineScenario({
  name: 'people',
  agents: {
    explorer: ({ lastUserText, allToolResults }) => {
      if (lastUserText.includes('slow')) return { text: 'At last.', delayMs: 2_000_000 };
      if (allToolResults.length > 0) return { text: allToolResults.map(({ text }) => text).join(' and ') };
      const ask = (question: string) => ({ name: 'ask_user', input: { question } });
      return { toolCalls: [ask('First thing?'), ask('Second thing?')] };
    },
  },
});

describe('people in the loop', () => {
  let database: TestDatabase;
  let sim: ModelSim;
  let temp: string;
  let env: Record<string, string>;
  let client: BullpenClient;
  let terminals: Pty[] = [];

  beforeAll(async () => {
    [database, sim, temp] = await Promise.all([
      testDatabase(),
      startModelSim({ scenarios: [scenario], speed: 50 }),
      mkdtemp(join(tmpdir(), 'bullpen-people-')),
    ]);
    await chmod(temp, 0o755);
    mkdirSync(join(temp, 'project'));
    writeFileSync(join(temp, 'project/README.md'), '# A project\n');
    const home = join(temp, 'home');
    const start = (app: 'gateway' | 'worker'): TestProcess =>
      startProcess(join(ROOT, `apps/${app}/dist/main.js`), {
        name: app,
        env: {
          DATABASE_URL: database.url,
          REDIS_URL: '',
          BULLPEN_HOME: home,
          PORT: '0',
          ANTHROPIC_API_KEY: 'simulated',
          ANTHROPIC_BASE_URL: sim.url,
          MODEL_SIMULATED: 'true',
        },
      });
    const gateway = start('gateway');
    const [, port] = await gateway.waitForOutput(/"port":(\d+)/, 60_000);
    const worker = start('worker');
    const url = `http://127.0.0.1:${port}`;
    const apiKey = readFileSync(join(home, 'key'), 'utf8').trim();
    client = createClient({ baseUrl: url, apiKey });
    const EDITOR = `sed -i 's/by the model simulator/by a person/'`;
    env = {
      BULLPEN_URL: url,
      BULLPEN_API_KEY: apiKey,
      BULLPEN_HOME: home,
      NO_COLOR: '1',
      VISUAL: '',
      EDITOR,
    };
    stop = async () => {
      await worker.stop();
      await gateway.stop();
    };
  });
  let stop = (): Promise<void> => Promise.resolve();

  afterEach(async () => {
    await Promise.all(terminals.map((terminal) => terminal.kill()));
    terminals = [];
  });
  afterAll(async () => {
    await stop();
    await assertNoProcessLeft();
    await Promise.all([database.drop(), sim.close(), rm(temp, { recursive: true, force: true })]);
  });

  function terminal(...args: string[]): Pty {
    const pty = new Pty(BIN, args, { cwd: temp, env });
    terminals.push(pty);
    return pty;
  }

  async function bullpen(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    const run = startProcess(BIN, { name: `bullpen ${args.join(' ')}`, args, cwd: temp, env });
    const { code } = await run.ended;
    return { code, out: run.stdout, err: run.stderr };
  }

  const asking = (words: string, ...more: string[]): string[] => [
    'run',
    words,
    '--dir',
    'project',
    '--autonomy',
    'agent',
    ...more,
  ];
  const taskOf = async (pty: Pty): Promise<string> => (await pty.sees(/task_\w{26}/))[0];
  /** Enter shows what was written; only then is it sent. */
  const send = async (pty: Pty, text: string): Promise<void> => {
    pty.type(text + KEY.enter);
    await pty.sees(/❯ Keep writing/);
    pty.type(KEY.up + KEY.up + KEY.enter);
  };
  const until = (taskId: string, state: string) =>
    waitFor(async () => (await client.tasks.get(taskId)).state === state, {
      what: `${taskId} ${state}`,
    });
  const openAsk = async (taskId: string): Promise<string> =>
    waitFor(async () => (await client.interactions.list({ taskId })).data[0]?.id ?? null, {
      what: 'something to answer',
    });

  it('leaves with code 4 where nobody can be asked, naming the commands that let the task go on', async () => {
    const run = await bullpen(...asking('run `echo hi`', '--json'));
    expect([run.code, run.err.includes('error')]).toEqual([4, false]);
    const { taskId, outcome, interactions } = JSON.parse(run.out) as {
      taskId: string;
      outcome: string;
      interactions: { id: string; payload: object }[];
    };
    expect([outcome, interactions.length]).toEqual(['waiting', 1]);
    expect(interactions[0]?.payload).toMatchObject({
      tool: 'run_command',
      arguments: { command: 'echo hi' },
    });
    const id = interactions[0]?.id ?? '';
    const inbox = await bullpen('inbox', '--task', taskId);
    expect(inbox.out).toMatch(new RegExp(`${id} .* approval .*run_command:`));
    const shown = await bullpen('inbox', 'show', id.slice(-8));
    expect(shown.out).toContain('Run run_command?\n  echo hi\n');
    expect(shown.err).toContain(`next: bullpen approve ${id}`);
    expect((await bullpen('approve', '--all', '--task', taskId)).code).toBe(0);
    await until(taskId, 'completed');
    const late = await bullpen('deny', id);
    expect([late.code, late.err]).toEqual([7, expect.stringContaining('answered: approve')]);
  });

  it('asks in place, and runs the command as it was edited there', async () => {
    const pty = terminal(...asking('run `echo one`'));
    await pty.sees(/echo one[^]*May it run\?[^]*Later/);
    pty.type(KEY.down + KEY.down + KEY.down + KEY.enter);
    await pty.sees(/Run instead/);
    await send(pty, ' two');
    await pty.sees(/run_command echo one two[^]*completed/);
    expect(await pty.ended).toBe(0);
  });

  it('opens the text of a file by itself in the editor, and writes it as it was edited', async () => {
    const pty = terminal(...asking('Write a note'));
    const taskId = await taskOf(pty);
    await pty.sees(/\+Written by the model simulator\.[^]*May it run\?[^]*Later/);
    pty.type(KEY.down + KEY.down + KEY.down + KEY.enter);
    await pty.sees(/Written by a person\.[^]*May this run instead\?[^]*Back/);
    pty.type(FIRST);
    await pty.sees(/→ write_file NOTES\.md[^]*completed/);
    const { workspacePath } = await client.tasks.get(taskId);
    expect(readFileSync(join(workspacePath ?? '', 'NOTES.md'), 'utf8')).toMatch(
      /\n\nWritten by a person\.\n$/,
    );
  });

  it('takes Enter alone for no consent, and letters for a remark that is shown before it is sent', async () => {
    const pty = terminal(...asking('run `echo hi`'));
    const taskId = await taskOf(pty);
    await pty.sees(/May it run\?[^]*Later/);
    pty.type(KEY.enter);
    await pty.sees(/Left open/);
    expect((await client.interactions.list({ taskId })).data).toHaveLength(1);

    const again = terminal('tasks', 'watch', taskId);
    await again.sees(/May it run\?[^]*Later/);
    again.type(`yes, but not here${KEY.enter}`);
    await again.sees(/yes, but not here[^]*Deny it, with this remark[^]*Keep writing/);
    expect((await client.tasks.get(taskId)).waitReason).toBe('approval');
    again.type(KEY.up + KEY.up + KEY.enter);
    await again.sees(/completed/);
    const { data } = await client.interactions.list({ taskId, state: 'answered' });
    expect(data[0]?.answer).toEqual({ decision: 'deny', remarks: 'yes, but not here' });
  });

  it('takes the prompt away when the same is answered elsewhere, and goes on', async () => {
    const pty = terminal(...asking('run `echo hi`'));
    const id = await openAsk(await taskOf(pty));
    await pty.sees(/May it run\?[^]*Later/);
    pty.type('please do not');
    await pty.sees(/│ please do not/);
    expect(await bullpen('deny', id, '--remark', 'Not today')).toMatchObject({
      code: 0,
      err: expect.stringContaining('Not today'),
    });
    await pty.sees(/Not sent: please do not\n[^]*is closed\..*answered: deny[^]*Not today[^]*completed/);
    expect(await pty.ended).toBe(0);
  });

  it('asks what comes at once one after the other', async () => {
    const pty = terminal('run', 'Ask me', '--agent', 'explorer', '--autonomy', 'agent');
    for (const [question, answer] of [
      ['First thing', 'one'],
      ['Second thing', 'two'],
    ] as const) {
      await pty.sees(new RegExp(`${question}\\?[^]*Your answer[^]*Later`));
      pty.type(FIRST);
      await pty.sees(/In your own words\n[^]*Escape/);
      await send(pty, answer);
    }
    await pty.sees(/answered: one and The user answered: two[^]*completed/);
    expect(await pty.ended).toBe(0);
  });

  it('leaves it open at Ctrl-C, and at kill -9, and the task goes on with an answer from anywhere', async () => {
    const left = terminal(...asking('run `echo hi`'));
    const leftId = await taskOf(left);
    await left.sees(/May it run\?[^]*Later/);
    left.type(KEY.ctrlC);
    await left.sees(/goes on waiting for the answer/);
    expect(await left.ended).toBe(130);

    const killed = terminal(...asking('run `echo hi`'));
    const killedId = await taskOf(killed);
    await killed.sees(/May it run\?[^]*Later/);
    await killed.kill();

    for (const taskId of [leftId, killedId]) {
      expect((await bullpen('approve', await openAsk(taskId))).code).toBe(0);
      await until(taskId, 'completed');
    }
  });

  it('ends in autonomy plan with a plan, and carries out what is accepted', async () => {
    const pty = terminal(
      'run',
      'Tidy this up',
      '--dir',
      'project',
      '--autonomy',
      'plan',
      '--allow',
      'write,execute',
    );
    await pty.sees(/Version 1[^]*Steps[^]*Is this the plan\?[^]*Later/);
    pty.type(KEY.up + KEY.enter);
    await pty.sees(/What should change\?[^]*Escape/);
    await send(pty, 'Mind the README');
    await pty.sees(/Version 2[^]*Mind the README[^]*Is this the plan\?[^]*Later/);
    pty.type(FIRST);
    await pty.sees(/write_file NOTES\.md[^]*run_command ls[^]*completed/);
    expect(await pty.ended).toBe(0);
  });

  it('talks, asks in place, remembers what was typed, and can be gone on with later', async () => {
    const pty = terminal('chat', '--dir', 'project');
    await pty.sees(/> $/);
    pty.type(`Good morning${KEY.enter}`);
    const taskId = await taskOf(pty);
    await pty.sees(/You said: “Good morning”[^]*> $/);
    pty.type(`run \`echo hi\`${KEY.enter}`);
    await pty.sees(/May it run\?[^]*Later/);
    pty.type(FIRST);
    await pty.sees(/exit code 0 hi[^]*> $/);
    pty.type(`/cost${KEY.enter}`);
    await pty.sees(/\(simulated\) of .* model calls[^]*> $/);
    pty.type(KEY.up + KEY.up + KEY.up + KEY.enter);
    await pty.sees(/You said: “Good morning”[^]*> $/);
    pty.type(`/quit${KEY.enter}`);
    await pty.sees(new RegExp(`bullpen chat --resume ${taskId}`));
    expect(await pty.ended).toBe(0);
    expect((await client.tasks.get(taskId)).waitReason).toBe('message');

    const again = terminal('chat', '--resume', taskId);
    await again.sees(/> Good morning\n[^]*You said: “Good morning”[^]*You said: “Good morning”[^]*> $/);
    again.type(KEY.ctrlD);
    expect(await again.ended).toBe(0);
  });

  it('leaves a question of a chat open, asks it again, and hears a message instead', async () => {
    const pty = terminal('chat', '--dir', 'project');
    await pty.sees(/> $/);
    pty.type(`run \`echo hi\`${KEY.enter}`);
    const taskId = await taskOf(pty);
    await pty.sees(/May it run\?[^]*Later/);
    pty.type(KEY.enter);
    await pty.sees(/send a message instead[^]*> $/);
    pty.type(`/open${KEY.enter}`);
    await pty.sees(/May it run\?[^]*Later/);
    pty.type(KEY.ctrlC);
    await pty.sees(/send a message instead[^]*> $/);
    pty.type(`Never mind${KEY.enter}`);
    await pty.sees(/instead of an answer\?[^]*Do not send it/);
    pty.type(FIRST);
    await pty.sees(/“Never mind”[^]*> $/);
    const { data } = await client.interactions.list({ taskId, state: 'withdrawn' });
    expect(data).toHaveLength(1);
  });

  it('takes the terminal from a half typed message for what it asks, and gives the message back', async () => {
    const pty = terminal('chat', '--dir', 'project');
    await pty.sees(/> $/);
    pty.type(`Hello${KEY.enter}`);
    const taskId = await taskOf(pty);
    await pty.sees(/You said: “Hello”[^]*> $/);
    pty.type('please just');
    await pty.sees(/please just$/);
    await client.tasks.sendMessage(taskId, 'run `echo hi`');
    await pty.sees(/May it run\?[^]*Later/);
    pty.type(`go${KEY.enter}`);
    await pty.sees(/│ go[^]*❯ Keep writing/);
    pty.type(KEY.ctrlC);
    await pty.sees(/> please just$/);
    expect((await client.interactions.list({ taskId })).data).toHaveLength(1);
  });

  it('cuts an answer off at Ctrl-C, and goes on with the next message', async () => {
    const pty = terminal('chat', '--agent', 'explorer', '--autonomy', 'chat');
    await pty.sees(/> $/);
    pty.type(`slow, please${KEY.enter}`);
    const taskId = await taskOf(pty);
    await until(taskId, 'running');
    pty.type(KEY.ctrlC);
    await pty.sees(/Interrupted\. The agent goes on with your next message[^]*> $/);
    pty.type(`Ask me${KEY.enter}`);
    await pty.sees(/> $/);
    expect((await client.tasks.get(taskId)).waitReason).toBe('message');
  });

  it('takes what is typed while it works, lets it be changed and taken back, and shows it when it is read', async () => {
    const pty = terminal('chat', '--dir', 'project', '--level', 'high');
    await pty.sees(/> $/);
    pty.type(`run \`sleep 4\`${KEY.enter}`);
    await pty.sees(/→ run_command sleep 4/);
    for (const words of ['Second thing', 'Third thing']) {
      pty.type(words + KEY.enter);
      await pty.sees(/The agent reads this at its next step/);
    }
    pty.type(`/messages${KEY.enter}`);
    await pty.sees(/1 {2}Second thing\n {2}2 {2}Third thing/);
    pty.type(`/edit 1 Another thing${KEY.enter}`);
    await pty.sees(/The agent will read: Another thing/);
    pty.type(`/withdraw 2${KEY.enter}`);
    await pty.sees(/Withdrawn: Third thing/);
    pty.type(`/undo${KEY.enter}`);
    await pty.sees(/The agent is working/);
    await pty.sees(/> Another thing\n[^]*“Another thing”[^]*> $/);
  });

  it('keeps what is being typed in a chat below what comes meanwhile, and goes on after a refusal', async () => {
    const pty = terminal('chat', '--dir', 'project');
    await pty.sees(/> $/);
    pty.type(`Hello${KEY.enter}`);
    const taskId = await taskOf(pty);
    await pty.sees(/You said: “Hello”[^]*> $/);
    pty.type('half a line');
    await client.tasks.sendMessage(taskId, 'From elsewhere');
    await pty.sees(/> From elsewhere\n[^]*You said: “From elsewhere”[^]*> half a line$/);
    // It can be read before it is stored; till then there is nothing to undo.
    await waitFor(async () => (await client.tasks.get(taskId)).waitReason === 'message', {
      what: 'the end of the turn',
    });
    pty.type(`${KEY.ctrlC}/undo${KEY.enter}`);
    await pty.sees(/Undone: From elsewhere[^]*> $/);
    pty.type(`/undo${KEY.enter}`);
    await pty.sees(/Undone: Hello[^]*> $/);
    pty.type(`/undo${KEY.enter}`);
    await pty.sees(/error: [^]*> $/);
    pty.type(`Still here${KEY.enter}`);
    await pty.sees(/You said: “Still here”[^]*> $/);
  });

  it('reads a line each and ends with the input where there is no terminal', async () => {
    const run = startProcess(join(ROOT, 'apps/cli/test/piped.mjs'), {
      name: 'piped chat',
      args: ['First line\n/reset\nSecond line\n', BIN, 'chat', '--json'],
      cwd: temp,
      env,
    });
    const { code } = await run.ended;
    const answers = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { taskId: string; text: string });
    expect([code, answers.length]).toEqual([0, 2]);
    expect(answers[0]?.text).toContain('“First line”');
    expect(answers[1]?.text).toContain('“Second line”');
    expect(answers[0]?.taskId).not.toBe(answers[1]?.taskId);
  });
});
