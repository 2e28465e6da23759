/** What is added from outside of the repository, on real workers. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { loadExtensions } from '@bullpen/extensions';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { newId } from '@bullpen/platform';
import { queueBackends, waitFor } from '@bullpen/testing';
import { BUILT_IN_TOOLS, schemaIssues } from '@bullpen/tools';
import { WorkerWorld } from '../test/worker-world.js';

/** Gives a subtask to `helper` and repeats what comes back. */
function lead({ allToolResults: [spawned, waited] }: AgentTurn): Reply {
  if (waited) return { text: waited.text };
  if (!spawned)
    return { toolCalls: [{ name: 'spawn_subtask', input: { agent: 'helper', prompt: 'Help.' } }] };
  const { taskId } = JSON.parse(spawned.text) as { taskId: string };
  return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: [taskId] } }] };
}

/** Asks first, so that it can be held in the middle; then says what its prompt says of its version. */
function helper({ allToolResults: [asked], systemPrompt }: AgentTurn): Reply {
  if (!asked) return { toolCalls: [{ name: 'ask_user', input: { question: 'Go on?' } }] };
  return { text: /You are version \w+/.exec(systemPrompt)?.[0] ?? 'no version' };
}

/** Counts the words of a.txt with the tool of the documentation. */
function reviewer({ allToolResults: [counted] }: AgentTurn): Reply {
  if (counted) return { text: counted.text };
  return { toolCalls: [{ name: 'count_words', input: { path: 'a.txt' } }] };
}

const scenario = defineScenario({ name: 'extensions-spec', agents: { general: lead, helper, reviewer } });

/** The files of the documentation's examples, by name. */
function documented(): ReadonlyMap<string, string> {
  const page = readFileSync(new URL('../../../docs/extending.md', import.meta.url), 'utf8');
  const blocks = page.matchAll(/^```\w+ extensions\/(\S+)\n(.*?)^```$/gms);
  return new Map([...blocks].map(([, name = '', content = '']) => [name, content]));
}

for (const backend of queueBackends().slice(0, 1)) {
  backend.describe('extensions of an installation', () => {
    let world: WorkerWorld;
    beforeAll(async () => {
      world = await WorkerWorld.open(backend, scenario);
    });
    afterEach(() => world.stopWorkers());
    afterAll(() => world.close());

    const write = (name: string, content: string): void => {
      const path = join(world.home, 'extensions', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    };
    const helperFile = (version: string): void =>
      write(
        'agents/helper.md',
        `---\nname: helper\ndescription: Helps.\ntools: [ask_user]\nautonomy: agent\n---\nYou are version ${version}.\n`,
      );

    it('a task keeps the definition that it began with: a changed file changes new tasks only', async () => {
      const answerAll = async (root: string): Promise<string> => {
        await world.until(root, 'waiting');
        for (const { id } of await world.inbox(root)) await world.answer(id, { text: 'Yes.' });
        await world.until(root, 'completed');
        return String((await world.task(root)).output);
      };
      const asked = (root: string) =>
        waitFor(async () => (await world.inbox(root)).length === 1, { what: 'a question' });
      helperFile('one');
      await world.start();
      const before = await world.submit('lead', { autonomy: 'agent' });
      await asked(before);
      await world.stopWorkers();

      helperFile('two');
      await world.start();
      const after = await world.submit('lead', { autonomy: 'agent' });
      await asked(after);
      expect(await answerAll(before)).toContain('You are version one');
      expect(await answerAll(after)).toContain('You are version two');
    });

    /** Submits a task for an agent of the installation, on a folder with a text. */
    const submit = async (agent: string): Promise<string> => {
      const { agents, problems } = await loadExtensions({
        home: world.home,
        modules: [],
        builtInTools: BUILT_IN_TOOLS,
        schemaIssues,
      });
      expect(problems).toEqual([]);
      const definition = agents.find(({ name }) => name === agent);
      const source = join(world.home, 'source');
      mkdirSync(source, { recursive: true });
      writeFileSync(join(source, 'a.txt'), 'four words, no more\n');
      const workspace = { kind: 'path' as const, path: source, copy: true };
      return world.submit('Review.', { ...definition, model: 'claude-sonnet-5-5' }, null, workspace);
    };

    it('the tool and the agent of the documentation work as they are written there', async () => {
      const files = documented();
      expect([...files.keys()]).toEqual(['tools/count-words.ts', 'agents/reviewer.md']);
      for (const [name, content] of files) write(name, content);
      await world.start();
      const id = await submit('reviewer');
      await world.until(id, 'completed');
      expect((await world.task(id)).output).toBe('a.txt has 4 words.');
    });

    it('a task whose tool the worker lacks fails before it pays anything, says which, and goes on once it is there', async () => {
      for (const [name, content] of documented()) write(name, content);
      const id = await submit('reviewer');
      rmSync(join(world.home, 'extensions/tools/count-words.ts'));
      await world.start();
      await world.until(id, 'failed');
      const { rows } = await world.pool.query('SELECT failure, turns FROM tasks WHERE id = $1', [id]);
      expect(rows).toEqual([
        {
          turns: 0,
          failure: expect.objectContaining({
            code: 'unknown_tool',
            message: expect.stringMatching(
              /^The agent reviewer works with count_words, which this worker does not have: /,
            ),
          }),
        },
      ]);
      await world.stopWorkers();

      for (const [name, content] of documented()) write(name, content);
      await world.start();
      await world.commands.retry('default', id, { messageId: newId('inbox'), message: null, limits: {} });
      await world.until(id, 'completed');
      expect((await world.task(id)).output).toBe('a.txt has 4 words.');
    });

    it('the agents that ship use tools that there are, and schemas that can be used', async () => {
      const { problems } = await loadExtensions({
        home: '/nowhere',
        modules: [],
        builtInTools: BUILT_IN_TOOLS,
        schemaIssues,
      });
      expect(problems).toEqual([]);
    });
  });
}
