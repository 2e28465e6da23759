import { describe, expect, it } from '@jest/globals';
import { agentTurnOf, type AgentTurn } from './agent-turn.js';
import { parseJsonScenario } from './json-scenario.js';
import { loadScenario } from './load-scenarios.js';
import type { Message, MessagesRequest } from './wire.js';

const CALL = { name: 'look', input: { at: '{{prompt}}' } };

function turnAfter(assistantTurns: number, overrides: Partial<MessagesRequest> = {}): AgentTurn {
  const messages: Message[] = [{ role: 'user', content: 'the $& prompt' }];
  for (let turn = 0; turn < assistantTurns; turn += 1) {
    messages.push({
      role: 'assistant',
      content: [{ type: 'tool_use', id: `t${turn}`, name: 'look', input: {} }],
    });
    messages.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `t${turn}`, content: `result ${turn}` }],
    });
  }
  return agentTurnOf({ model: 'sim-1', max_tokens: 100, system: 'Agent: a', messages, ...overrides });
}

function scriptOf(agent: unknown) {
  const script = parseJsonScenario({ name: 's', agents: { a: agent } }, 's.json').agents['a'];
  if (script === undefined) throw new Error('no script');
  return script;
}

describe('a JSON scenario', () => {
  it('answers turn by turn and repeats the last reply', () => {
    const script = scriptOf({
      replies: [{ toolCalls: [CALL] }, { text: 'Got {{lastResult}} for {{prompt}}' }],
    });
    expect(script(turnAfter(0))).toEqual({ toolCalls: [{ name: 'look', input: { at: 'the $& prompt' } }] });
    expect(script(turnAfter(1))).toEqual({ text: 'Got result 0 for the $& prompt' });
    expect(script(turnAfter(4))).toEqual({ text: 'Got result 3 for the $& prompt' });
  });

  it('has nothing to say after a last reply that calls tools', () => {
    const script = scriptOf({ replies: [{ toolCalls: [CALL] }] });
    expect(() => script(turnAfter(1))).toThrow(
      'the scenario has 1 reply and the last one calls tools, so there is no next reply',
    );
  });

  it('gives the extraction when tools are forbidden', () => {
    const script = scriptOf({ replies: [{ text: 'x' }], extraction: { ok: true } });
    expect(script(turnAfter(0, { tool_choice: { type: 'none' } }))).toEqual({ text: '{"ok":true}' });
  });

  it.each<[string, unknown, string]>([
    ['no name', { agents: {} }, 'name:'],
    ['a misspelt field', { name: 's', agents: {}, agent: {} }, '"agent"'],
    ['no replies', { name: 's', agents: { a: { replies: [] } } }, 'agents.a.replies:'],
    [
      'an empty reply',
      { name: 's', agents: { a: { replies: [{}] } } },
      'agents.a.replies.0: a reply needs text, toolCalls or blocks',
    ],
    [
      'a call without input',
      { name: 's', agents: { a: { replies: [{ toolCalls: [{ name: 'x' }] }] } } },
      'agents.a.replies.0.toolCalls.0.input:',
    ],
    [
      'an unknown fault',
      { name: 's', agents: { a: { replies: [{ text: 'x', fault: { kind: 'boom' } }] } } },
      'agents.a.replies.0.fault.kind:',
    ],
  ])('with %s is refused, and the field is named', (_what, json, expected) => {
    expect(() => parseJsonScenario(json, 'my.json')).toThrow(expected);
    expect(() => parseJsonScenario(json, 'my.json')).toThrow('Scenario my.json is not valid');
  });
});

describe('loadScenario', () => {
  it('loads the example', async () => {
    const file = new URL('../examples/scenarios/hello.json', import.meta.url).pathname;
    const scenario = await loadScenario(file);
    expect(Object.keys(scenario.agents)).toEqual(['greeter']);
  });

  it('says which file is missing or of an unknown kind', async () => {
    await expect(loadScenario('/nowhere/x.json')).rejects.toThrow('Cannot read scenario /nowhere/x.json');
    await expect(loadScenario('x.yaml')).rejects.toThrow('expected a .json, .js or .mjs file');
  });
});
