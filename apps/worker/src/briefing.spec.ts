/** What a real worker tells a task about its workspace. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AgentDefinition, Briefing } from '@bullpen/contracts';
import { workspaceAgents } from '@bullpen/extensions';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { queueBackends } from '@bullpen/testing';
import { BUILT_IN_TOOLS, schemaIssues } from '@bullpen/tools';
import { WorkerWorld } from '../test/worker-world.js';

const seen: { readonly system: string; readonly messages: string }[] = [];

function reads(turn: AgentTurn): Reply {
  seen.push({ system: turn.systemPrompt, messages: JSON.stringify(turn.messages) });
  if (turn.turnIndex === 0) return { toolCalls: [{ name: 'read_file', input: { path: 'pkg/a/x.ts' } }] };
  if (turn.turnIndex === 1) return { toolCalls: [{ name: 'read_file', input: { path: 'pkg/a/y.ts' } }] };
  return { text: 'ok' };
}

/** Starts a subtask with an agent of its workspace, and hands on what came of it. */
function leads({ turnIndex, messages }: AgentTurn): Reply {
  if (turnIndex === 0)
    return { toolCalls: [{ name: 'spawn_subtask', input: { agent: 'local', prompt: 'Help.' } }] };
  const taskId = /taskId[^t]*(task_[\da-z]{26})/.exec(JSON.stringify(messages))?.[1] ?? '';
  return turnIndex === 1
    ? { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: [taskId] } }] }
    : { text: 'Led.' };
}

const scenario = defineScenario({
  name: 'briefings',
  agents: { general: reads, lead: leads, local: () => ({ text: 'Helped.' }) },
});
let world: WorkerWorld;
beforeAll(async () => {
  const [backend] = queueBackends();
  if (!backend) throw new Error('no queue backend');
  world = await WorkerWorld.open(backend, scenario);
});
afterAll(async () => {
  await world.expectInvariants();
  await world.close();
});

it('gives each task the rules as they are when it starts, those of a folder once it comes there, and records them', async () => {
  const folder = join(world.home, 'project');
  mkdirSync(join(folder, 'pkg/a'), { recursive: true });
  for (const name of ['x.ts', 'y.ts']) writeFileSync(join(folder, 'pkg/a', name), 'export {};\n');
  writeFileSync(join(folder, 'pkg/a/AGENTS.md'), 'Only tabs here.');
  const rules = ['Never push to main.', 'Push as you like.'];
  await world.start();
  for (const text of rules) {
    writeFileSync(join(folder, 'AGENTS.md'), text);
    seen.length = 0;
    const id = await world.submit('go', {}, null, { kind: 'path', path: folder, copy: true });
    await world.until(id, 'completed');
    expect(seen.map(({ system }) => system.includes(text))).toEqual([true, true, true]);
    expect(new Set(seen.map(({ system }) => system)).size).toBe(1);
    expect(seen.map(({ messages }) => messages.split('Only tabs here.').length - 1)).toEqual([0, 1, 1]);
    expect(seen[0]?.messages).toMatch(/<environment>.*System: Linux.*Date: \d{4}-/);
    const { rows } = await world.pool.query<{ briefing: Briefing }>(
      'SELECT briefing FROM tasks WHERE id = $1',
      [id],
    );
    expect(rows[0]?.briefing.rules).toMatchObject([{ path: 'AGENTS.md', text }, { path: 'pkg/a/AGENTS.md' }]);
  }
});

it('runs a subtask with an agent of the workspace, as it was handed in and no further than its parent goes', async () => {
  const text =
    '---\nname: local\ndescription: Helps.\ntools: [read_file, run_command]\nlimits: { turns: 9999 }\n---\nYou help.';
  const files = [{ path: '.bullpen/agents/local.md', text }];
  const { agents } = workspaceAgents(files, ['general'], { toolNames: BUILT_IN_TOOLS, schemaIssues });
  const tools = ['read_file', 'spawn_subtask', 'wait_for_subtasks'];
  const given = agents.map(({ workspaceAgents: _none, keepBodies: _bodies, ...agent }) => agent);
  await world.start();
  const id = await world.submit('go', { name: 'lead', tools, workspaceAgents: given });
  await world.until(id, 'completed');
  const { rows } = await world.pool.query<{ state: string; output: string; definition: AgentDefinition }>(
    'SELECT state, output, definition FROM tasks WHERE parent_id = $1',
    [id],
  );
  expect(rows).toMatchObject([
    {
      ...{ state: 'completed', output: 'Helped.' },
      definition: {
        name: 'local',
        tools: ['read_file'],
        limits: { turns: 200 },
        file: { path: files[0]?.path },
      },
    },
  ]);
});
