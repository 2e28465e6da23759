/** Tasks that work in modes, on real workers with a real repository: each way through the modes, with what was found, changed, run and committed on it. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { ANY_COMMAND, type AgentDefinition } from '@bullpen/contracts';
import { ALL_APPROVALS } from '@bullpen/core';
import { builtInModes } from '@bullpen/extensions';
import { defineScenario, type Reply } from '@bullpen/model-sim';
import { checkInvariants } from '@bullpen/store';
import { queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

const SUM = 'export class Calculator {\n  sum(a, b) {\n    return a + b;\n  }\n}\n';
const MINUS = '  minus(a, b) {\n    return a - b;\n  }\n}\n';
const TESTS = `import { test } from 'node:test';
import assert from 'node:assert';
import { Calculator } from './calculator.mjs';

test('sums', () => assert.equal(new Calculator().sum(1, 2), 3));
test('subtracts', () => {
  const calculator = new Calculator();
  if (calculator.minus) assert.equal(calculator.minus(3, 2), 1);
});
`;

const call = (name: string, input: Record<string, unknown>): Reply => ({ toolCalls: [{ name, input }] });
const signal = (trigger: string) => call('signal', { trigger, reason: `${trigger} is so.` });
const run = (command: string) => call('run_command', { command });
const edit = (oldText: string, newText: string) =>
  call('edit_file', { path: 'calculator.mjs', oldText, newText });
const add = edit('    return a + b;\n  }\n}\n', `    return a + b;\n  }\n${MINUS}`);
const test = run('node --test');

const WAYS: Readonly<Record<string, readonly Reply[]>> = {
  'Where is the sum method? Put a minus method next to it.': [
    call('find_symbols', { name: 'sum' }),
    signal('target_found'),
    add,
    signal('code_complete'),
    test,
    signal('tests_passed'),
    run('git diff --stat'),
    signal('approved'),
    run('git add -A && git commit -qm "add minus"'),
    signal('committed'),
    { text: 'Added minus.' },
  ],
  'Implement minus, but badly first.': [
    edit('    return a + b;\n  }\n}\n', `    return a + b;\n  }\n${MINUS.replace('a - b', 'b - a')}`),
    signal('code_complete'),
    test,
    signal('tests_passed'),
    signal('reproduced'),
    call('read_file', { path: 'calculator.mjs' }),
    signal('fix_identified'),
    edit('return b - a;', 'return a - b;'),
    signal('code_complete'),
    test,
    signal('tests_passed'),
    { text: 'It works now.' },
  ],
  'Implement minus, if I may.': [add, { text: 'I shall look at it again.' }],
  'where is the login code?': [call('find_symbols', { name: 'login' }), { text: 'There is none.' }],
  '로그인 기능 어디 있어?': [call('find_symbols', { name: 'login' }), { text: '없습니다.' }],
};

const scenario = defineScenario({
  name: 'modes',
  agents: { general: (turn) => WAYS[turn.prompt]?.[turn.turnIndex] ?? { text: 'Done.' } },
});

for (const backend of queueBackends()) {
  backend.describe('a task that works in modes', () => {
    let world: WorkerWorld;
    let source: string;
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', ...args], { cwd: source }).toString();

    beforeAll(async () => {
      world = await WorkerWorld.open(backend, scenario);
    });
    beforeEach(async () => {
      source = await realpath(await mkdtemp(join(tmpdir(), 'modes-')));
      await chmod(source, 0o755);
      await writeFile(join(source, 'calculator.mjs'), SUM);
      await writeFile(join(source, 'calculator.test.mjs'), TESTS);
      git('init', '-q', '-b', 'trunk');
      git('add', '-A');
      git('commit', '-qm', 'first');
      await world.start({ GIT_PROTOCOLS: 'file' });
    });
    afterEach(async () => {
      await world.stopWorkers();
      await rm(source, { recursive: true, force: true });
    });
    afterAll(async () => {
      expect((await checkInvariants(world.pool)).filter(({ holds }) => !holds)).toEqual([]);
      await world.close();
    });

    const submit = (prompt: string, machine: Partial<AgentDefinition['machine']> = {}) =>
      world.submit(
        prompt,
        {
          autonomy: 'agent',
          approvals: ALL_APPROVALS,
          rules: ANY_COMMAND,
          tools: ['find_symbols', 'read_file', 'edit_file', 'run_command'],
          machine: { modes: [...builtInModes()], asks: 'nothing', ...machine },
        },
        null,
        { kind: 'git', url: `file://${source}` },
      );
    const pathOf = async (id: string): Promise<string[]> => {
      const { rows } = await world.pool.query<{ step: string }>(
        `SELECT concat_ws(' ', "from", trigger, coalesce("to", '!'), source) AS step FROM mode_transitions WHERE task_id = $1 ORDER BY seq`,
        [id],
      );
      return rows.map(({ step }) => step);
    };
    const told = async (id: string): Promise<string[]> => {
      const { rows } = await world.pool.query<{ head: string }>(
        `SELECT split_part(b ->> 'text', E'\\n', 1) AS head
           FROM api_messages m, json_array_elements(m.content) AS b
          WHERE m.task_id = $1 AND b ->> 'text' LIKE 'Mode: %' ORDER BY m.seq`,
        [id],
      );
      return rows.map(({ head }) => head);
    };
    const outputs = async (id: string, tool: string): Promise<string[]> => {
      const { rows } = await world.pool.query<{ output: string }>(
        `SELECT output FROM tool_calls WHERE task_id = $1 AND tool = $2 ORDER BY turn, position`,
        [id, tool],
      );
      return rows.map(({ output }) => output);
    };

    it('finds the place by the index, adds a method, runs the tests, has it judged, and commits it', async () => {
      const id = await submit('Where is the sum method? Put a minus method next to it.');
      await world.until(id, 'completed');
      expect(await pathOf(id)).toEqual([
        'idle search_intent context_navigation intent',
        'context_navigation target_found implementation agent',
        'implementation code_complete test agent',
        'test tests_passed qa agent',
        'qa approved git_workflow agent',
        'git_workflow committed idle agent',
      ]);
      expect(await told(id)).toEqual([
        'Mode: context_navigation (step 1)',
        'Mode: implementation (step 2)',
        'Mode: test (step 3)',
        'Mode: qa (step 4)',
        'Mode: git_workflow (step 5)',
        'Mode: idle (step 6)',
      ]);
      expect((await outputs(id, 'find_symbols'))[0]).toContain('calculator.mjs');
      expect((await outputs(id, 'run_command'))[1]).toContain('1 file changed');
      const { rows } = await world.pool.query(
        `SELECT mode, mode_seq, mode_context -> 'changed' AS changed,
           (SELECT count(*)::int FROM ui_events e WHERE e.task_id = t.id AND e.type = 'mode.changed') AS events
         FROM tasks t WHERE id = $1`,
        [id],
      );
      expect(rows).toEqual([{ mode: 'idle', mode_seq: 6, changed: [], events: 6 }]);
    });

    it('goes through debug and back when a test fails; that it passes is not believed before it does', async () => {
      const id = await submit('Implement minus, but badly first.');
      await world.until(id, 'completed');
      expect(await pathOf(id)).toEqual([
        'idle code_intent implementation intent',
        'implementation code_complete test agent',
        'test tests_passed ! agent',
        'test reproduced debug agent',
        'debug fix_identified implementation agent',
        'implementation code_complete test agent',
        'test tests_passed qa agent',
      ]);
    });

    it('goes back to look again with the reason when its user refuses the change', async () => {
      const id = await submit('Implement minus, if I may.', { asks: null });
      const asked = async () => (await world.inbox(id))[0] ?? false;
      const item = await waitFor(asked, { what: 'the question about the change' });
      await world.answer(item.id, { decision: 'deny', remarks: 'Not in this class.' });
      await world.until(id, 'completed');
      expect((await pathOf(id)).at(-1)).toBe('implementation rejected context_navigation harness');
      const { rows } = await world.pool.query<{ text: string }>(
        `SELECT b ->> 'text' AS text FROM api_messages m, json_array_elements(m.content) AS b
          WHERE m.task_id = $1 AND b ->> 'text' LIKE 'Mode: context_navigation%'`,
        [id],
      );
      expect(rows[0]?.text).toContain('Not in this class.');
      expect(await outputs(id, 'edit_file')).toEqual([expect.stringContaining('Not in this class.')]);
    });

    it.each(['where is the login code?', '로그인 기능 어디 있어?'])(
      'ends with the answer to a question, and has changed nothing: %s',
      async (question) => {
        const id = await submit(question);
        await world.until(id, 'completed');
        expect(await pathOf(id)).toEqual(['idle search_intent context_navigation intent']);
        const { rows } = await world.pool.query(
          `SELECT count(*)::int AS n FROM checkpoints WHERE task_id = $1 AND (diffstat ->> 'files')::int > 0`,
          [id],
        );
        expect(rows).toEqual([{ n: 0 }]);
      },
    );
  });
}
