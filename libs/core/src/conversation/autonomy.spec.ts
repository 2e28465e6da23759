import { beforeEach, describe, expect, it } from '@jest/globals';
import { Autonomy, type AgentDefinition } from '@bullpen/contracts';
import {
  autonomyNotice,
  decide,
  effectivePolicy,
  harnessTools,
  ToolRegistry,
  type Situation,
  type Tool,
} from '@bullpen/core';
import { ASK_USER, COMPLETE_TASK, PRESENT_PLAN } from '../task/autonomy.js';
import { canAsk, endingOf, mayQuestion, offeredTools, type Ending } from '../decide/offer.js';
import { graceRequest, situationText, systemPrompt } from './prompts.js';
import { approvesAnyCommand } from '@bullpen/core/testing';
import { aDefinition } from '@bullpen/testing';
import fc from 'fast-check';
import { countingTool, results, World } from '../../test/loop-world.js';

const FILE_TOOLS = ['read_file', 'list_files', 'search_files', 'write_file', 'edit_file', 'run_command'];
const HARNESS_TOOLS = harnessTools({ agents: [], validate: () => [] });
const NAMES = [...FILE_TOOLS, 'read_tool_output', ...HARNESS_TOOLS.map(({ name }) => name)];

/** Every kind of agent: what a person may choose, and what a definition may list. */
const definitions: fc.Arbitrary<AgentDefinition> = fc
  .record({
    autonomy: fc.constantFrom(...Autonomy.options),
    inBackground: fc.constantFrom('wait' as const, 'deny' as const),
    tools: fc.subarray(NAMES),
    conversation: fc.boolean(),
    outputSchema: fc.constantFrom(null, { type: 'object' }),
    questions: fc.boolean(),
    denied: fc.subarray([ASK_USER, COMPLETE_TASK]),
  })
  .map(({ inBackground, questions, denied, ...rest }) => {
    const base = aDefinition();
    return aDefinition({
      ...rest,
      asks: { ...base.asks, inBackground },
      approvals: { ...base.approvals, alwaysAllowFollowupQuestions: questions },
      rules: { ...base.rules, tools: { allow: [], deny: denied } },
    });
  });

/** The tools of a task as a worker has them: a plan can be presented whatever the definition lists. */
function toolsOf({ definition }: Situation): ReadonlyMap<string, Tool> {
  const files = FILE_TOOLS.map((name) =>
    countingTool(
      name,
      name === 'run_command' ? 'execute' : /write|edit/.test(name) ? 'write' : 'read',
      'repeat',
      () => ({
        kind: 'result',
        output: '',
      }),
    ),
  );
  return new ToolRegistry([...files, ...HARNESS_TOOLS]).toolsOf(definition);
}

const named = (text: string) => NAMES.filter((name) => new RegExp(`\\b${name}\\b`).test(text));

/** How each ending is put; no other may stand in a text. */
const ENDING_WORDS: Readonly<Record<Ending, RegExp>> = {
  plan: /Present the plan with present_plan/,
  completion: /call complete_task/,
  answer: /answer with the result/,
  message: /goes to the user, who may write again/,
};

function expectTrue(text: string, situation: Situation): void {
  const offered = offeredTools(toolsOf(situation), situation).map(({ name }) => name);
  expect(offered).toEqual(expect.arrayContaining(named(text)));
  expect(/nobody can be asked/i.test(text)).toBe(!canAsk(situation));
  expect(/person can be asked|can ask (?:the user )?questions/.test(text)).toBe(canAsk(situation));
  expect(named(text).includes(ASK_USER)).toBe(mayQuestion(situation));
  for (const [ending, words] of Object.entries(ENDING_WORDS))
    expect([ending, words.test(text)]).toEqual([ending, ending === endingOf(situation)]);
}

describe('what an agent is told about its autonomy', () => {
  it('names no tool that is not on offer, no ending that is not possible, and a person exactly where one can be asked', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        expectTrue(systemPrompt(definition), { definition, autonomy: definition.autonomy });
      }),
      { numRuns: 300 },
    );
  });

  it('is as true after a switch to any other', () => {
    fc.assert(
      fc.property(definitions, fc.constantFrom(...Autonomy.options), (definition, autonomy) => {
        const situation = { definition, autonomy };
        expectTrue(situationText(situation), situation);
        expect(autonomyNotice(definition, autonomy)).toContain(situationText(situation));
      }),
      { numRuns: 300 },
    );
  });

  it('fits the tools on offer: their descriptions name no other, and what ends the task is among them', () => {
    fc.assert(
      fc.property(definitions, fc.constantFrom(...Autonomy.options), (definition, autonomy) => {
        const situation = { definition, autonomy };
        const tools = offeredTools(toolsOf(situation), situation);
        const names = tools.map(({ name }) => name);
        for (const tool of tools) {
          const texts = named(tool.description + JSON.stringify(tool.inputSchema));
          expect(names).toEqual(expect.arrayContaining(texts));
        }
        expect(names.includes(PRESENT_PLAN)).toBe(endingOf(situation) === 'plan');
        expect(names.includes(COMPLETE_TASK)).toBe(endingOf(situation) === 'completion');
        expect(names).toEqual(expect.arrayContaining(named(graceRequest('Over.', situation))));
      }),
      { numRuns: 300 },
    );
  });

  it('is what the policy does with a question', () => {
    fc.assert(
      fc.property(definitions, fc.constantFrom(...Autonomy.options), (definition, autonomy) => {
        const situation = { definition, autonomy };
        const offered = offeredTools(toolsOf(situation), situation).some(({ name }) => name === ASK_USER);
        const context = { autonomy, offered, judgeCommand: approvesAnyCommand };
        const call = { tool: ASK_USER, group: 'question' as const, facts: {} };
        const { verdict } = decide(call, effectivePolicy(definition, {}), context);
        expect(verdict === 'approve').toBe(mayQuestion(situation));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a task and what it was told', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  const act = { toolCalls: [{ name: 'act' }] };
  const approvals = { ...aDefinition().approvals, alwaysAllowExecute: false };
  const asks = (inBackground: 'wait' | 'deny') => ({ ...aDefinition().asks, inBackground });
  const system = (at = 0) => world.model.requests[at]?.system ?? '';

  it.each([
    ['agent', 'deny', 'waiting'],
    ['agent', 'wait', 'waiting'],
    ['background', 'wait', 'waiting'],
    ['background', 'deny', 'completed'],
  ] as const)(
    'agree in %s that is to %s: it is %s after a call that needs approval',
    async (autonomy, ask, state) => {
      const task = world.submit({ autonomy, asks: asks(ask), approvals }, act, { text: 'Not done.' });
      await world.drain();
      expect(task.state).toBe(state);
      expect(system().includes('A person can be asked')).toBe(state === 'waiting');
      expect(system().includes('Nobody can be asked')).toBe(state === 'completed');
    },
  );

  it('agree in a subtask, which may ask exactly when its parent may', async () => {
    for (const ask of ['wait', 'deny'] as const) {
      world = new World();
      world.agents.push(aDefinition({ name: 'helper', tools: ['act'], approvals }));
      const spawn = { name: 'spawn_subtask', input: { agent: 'helper', prompt: 'Help.' } };
      world.submit(
        { asks: asks(ask), approvals, tools: ['spawn_subtask', 'wait_for_subtasks'] },
        { toolCalls: [spawn] },
        (request) => {
          const taskIds = JSON.stringify(request.messages).match(/task_(?!root)\w+/g) ?? [];
          return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: [...new Set(taskIds)] } }] };
        },
        act,
        { text: 'Helped as far as I could.' },
        { text: 'Done.' },
      );
      await world.drain();
      const ofChild = world.model.requests
        .map((request) => request.system)
        .filter((text) => /^Agent: helper/.test(text));
      expect(ofChild.length).toBeGreaterThan(0);
      for (const text of ofChild) expect(text.includes('A person can be asked')).toBe(ask === 'wait');
      expect([...world.store.tasks.values()].some(({ interactions }) => interactions.length > 0)).toBe(
        ask === 'wait',
      );
    }
  });

  it('keep the system prompt byte for byte over a switch, which is told in the conversation', async () => {
    const task = world.submit(
      {
        autonomy: 'background',
        asks: asks('wait'),
        tools: ['read', 'act', 'ask_user', 'complete_task'],
        approvals,
      },
      { toolCalls: [{ name: 'read' }] },
      { text: 'A plan in words.' },
      { toolCalls: [{ name: 'present_plan', input: { plan: 'P', steps: ['One'] } }] },
      { toolCalls: [{ name: 'complete_task', input: { output: 'Done.' } }] },
    );
    world.read.run = () => {
      world.store.switchAutonomy('task_root', 'plan');
      return Promise.resolve({ kind: 'result', output: 'x' });
    };
    await world.drain();
    const notice = JSON.stringify(task.messages);
    expect(notice).toContain('switched your autonomy to plan');
    expect(notice).toContain('Present the plan with present_plan');
    const [plan] = task.interactions;
    world.store.answer('task_root', plan?.id ?? '', { decision: 'accept', autonomy: 'background' });
    await world.drain();
    const accepted = results(task, 8)[0]?.text ?? '';
    expect(accepted).toContain('The user accepted the plan. Your autonomy is now background');
    expect(accepted).toContain('A person can be asked (ask_user)');
    expect(accepted).toContain('call complete_task');
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Done.' });
    expect(new Set(world.model.requests.map((request) => request.system)).size).toBe(1);
  });

  it('say of the background the same in a switch by a person, by the agent and by an accepted plan', async () => {
    const task = world.submit(
      { autonomy: 'agent', asks: asks('wait'), tools: ['switch_autonomy'] },
      { toolCalls: [{ name: 'switch_autonomy', input: { autonomy: 'background', reason: 'r' } }] },
      { text: 'Done.' },
    );
    await world.drain();
    const { definition } = task.record;
    expect(results(task, 3)[0]?.text).toBe(
      `Your autonomy is now background. ${situationText({ definition, autonomy: 'background' })}`,
    );
  });

  it('show no question where there is nobody to ask, and one that comes all the same is told so', async () => {
    const ask = { toolCalls: [{ name: 'ask_user', input: { question: 'Which one?' } }] };
    const task = world.submit({ tools: ['read', 'ask_user'] }, ask, { text: 'npm, I assume.' });
    await world.drain();
    expect(world.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['read']);
    expect(results(task, 3)).toMatchObject([
      { error: false, text: expect.stringContaining('Nobody can be asked') },
    ]);
    expect([...task.toolCalls.values()]).toMatchObject([{ approval: { code: 'nobody' } }]);
  });

  it.each([true, false])(
    'name the tool that reads the rest of a long result only where the task has it (%s)',
    async (has) => {
      const reader = countingTool('read_tool_output', 'read', 'repeat', () => ({
        kind: 'result',
        output: '',
      }));
      world.tools.push(reader);
      world.read.run = () => Promise.resolve({ kind: 'result', output: 'x'.repeat(20_000) });
      const task = world.submit(
        { tools: has ? ['read', 'read_tool_output'] : ['read'] },
        { toolCalls: [{ name: 'read' }] },
        { text: 'Done.' },
      );
      await world.drain();
      const text = results(task, 3)[0]?.text ?? '';
      expect(text).toMatch(/… \d+ characters left out/);
      expect(text.includes('read_tool_output')).toBe(has);
    },
  );

  it('ask a person once for a destructive step: by the call, not by a question before it', () => {
    const definition = aDefinition({ autonomy: 'agent', tools: ['act', ASK_USER] });
    expect(systemPrompt(definition)).toMatch(
      /even a destructive one: make the call.*do not ask for permission first/,
    );
    expect(systemPrompt(definition)).not.toMatch(/before anything destructive/);
    const tool = toolsOf({ definition, autonomy: 'agent' }).get(ASK_USER);
    expect(tool?.description).toMatch(/Do not ask whether you may make a call/);
    expect(tool?.description).not.toMatch(/destructive/);
  });
});
