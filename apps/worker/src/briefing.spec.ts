/** What a real worker tells a task about its workspace. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Briefing } from '@bullpen/contracts';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { queueBackends } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

const seen: { readonly system: string; readonly messages: string }[] = [];

function reads(turn: AgentTurn): Reply {
  seen.push({ system: turn.systemPrompt, messages: JSON.stringify(turn.messages) });
  if (turn.turnIndex === 0) return { toolCalls: [{ name: 'read_file', input: { path: 'pkg/a/x.ts' } }] };
  if (turn.turnIndex === 1) return { toolCalls: [{ name: 'read_file', input: { path: 'pkg/a/y.ts' } }] };
  return { text: 'ok' };
}

const scenario = defineScenario({ name: 'briefings', agents: { general: reads } });
let world: WorkerWorld;
beforeAll(async () => {
  const [backend] = queueBackends();
  if (!backend) throw new Error('no queue backend');
  world = await WorkerWorld.open(backend, scenario);
}, 60_000);
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
