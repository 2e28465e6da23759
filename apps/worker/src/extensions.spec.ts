/** What is added from outside of the repository, on real workers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { HARNESS_TOOL_NAMES } from '@bullpen/core';
import { loadExtensions } from '@bullpen/extensions';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { queueBackends, waitFor } from '@bullpen/testing';
import { schemaIssues, TOOL_NAMES } from '@bullpen/tools';
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

const scenario = defineScenario({ name: 'extensions-spec', agents: { general: lead, helper } });

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

    it('the agents that ship use tools that there are, and schemas that can be used', () => {
      const builtInTools = [...TOOL_NAMES, ...HARNESS_TOOL_NAMES];
      const { problems } = loadExtensions({ home: '/nowhere', modules: [], builtInTools, schemaIssues });
      expect(problems).toEqual([]);
    });
  });
}
