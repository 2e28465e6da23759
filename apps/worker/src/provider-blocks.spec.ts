/** Searches and code that the provider ran, thinking between them, and a pause: on one worker, and taken over by another in the middle. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { queueBackends } from '@bullpen/testing';
import type { RunningWorker } from './compose.js';
import { WorkerWorld } from '../test/worker-world.js';

const call = (n: number, name: string) => ({
  ...{ type: 'server_tool_use', id: `srvtoolu_${n}`, name },
  input: { query: `where is ${n}`, options: { z: 1, a: [true, null] } },
});
const result = (n: number, name: string) => ({
  ...{ type: `${name}_tool_result`, tool_use_id: `srvtoolu_${n}` },
  content: [{ type: `${name}_result`, url: 'https://x.test', encrypted_content: 'EqgfCioIARgB' }],
});
const quoted = {
  type: 'text',
  text: 'It is 42, they say.',
  citations: [{ type: 'web_search_result_location', cited_text: '42', encrypted_index: 'Eo8BCioIAhgB' }],
};
const before = [
  ...[call(1, 'web_search'), result(1, 'web_search')],
  ...[{ type: 'thinking', thinking: 'Is that so?' }, quoted, call(2, 'bash_code_execution')],
];
const after = [result(2, 'bash_code_execution'), { type: 'container_upload', file_id: 'file_1' }];

let world: WorkerWorld;
/** Called while the first answer is made. */
let whileAsked: () => void = () => undefined;
const seen: AgentTurn[] = [];

function searches(turn: AgentTurn): Reply {
  seen.push(turn);
  if (turn.turnIndex > 0) return { text: 'Done.' };
  if (turn.pauses > 0)
    return { blocks: after, text: 'Ran it.', toolCalls: [{ name: 'list_files', input: {} }] };
  whileAsked();
  const usage = { server_tool_use: { web_search_requests: 1 } };
  return { thinking: 'Where is it?', blocks: before, stopReason: 'pause_turn', usage };
}

beforeAll(async () => {
  const [backend] = queueBackends();
  if (!backend) throw new Error('no queue backend');
  world = await WorkerWorld.open(backend, defineScenario({ name: 'search', agents: { general: searches } }));
});
afterAll(async () => {
  await world.expectInvariants();
  await world.close();
});

/** What the model was sent of its own first answer, with its parts as one; signatures are the simulator's to check. */
function echoed({ messages }: AgentTurn): unknown[] {
  const said = messages.flatMap(({ role, content }) =>
    role === 'assistant' && Array.isArray(content) ? content : [],
  );
  return said.map((block) => {
    const { signature: _, cache_control: __, ...rest } = block as unknown as Record<string, unknown>;
    return rest;
  });
}

async function run(): Promise<void> {
  seen.length = 0;
  const id = await world.submit('search', { model: 'claude-fable-5-1' });
  await world.until(id, 'completed');
  expect(seen.map(({ turnIndex, pauses }) => [turnIndex, pauses])).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
  ]);
  const first = [{ type: 'thinking', thinking: 'Where is it?' }, ...before];
  expect(seen[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(JSON.stringify(seen[1] && echoed(seen[1]))).toBe(JSON.stringify(first));
  const whole = [...first, ...after, { type: 'text', text: 'Ran it.' }];
  expect(JSON.stringify(seen[2] && echoed(seen[2]).slice(0, -1))).toBe(JSON.stringify(whole));
  expect(seen[2]?.allToolResults.map(({ name }) => name)).toEqual(['list_files']);
}

it('is sent back as it came, in its place, and the pause goes on with nothing said between', async () => {
  await world.start();
  await run();
});

it('is the same when another worker goes on from the record', async () => {
  await world.stopWorkers();
  let leaving = Promise.resolve();
  const first: RunningWorker = await world.start();
  whileAsked = () => {
    whileAsked = () => undefined;
    leaving = world.stop(first).then(async () => void (await world.start()));
  };
  await run();
  await leaving;
});
