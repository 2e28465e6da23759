/** What a simulated agent answers when its conversation is to be summed up. */
import { describe, expect, it } from '@jest/globals';
import { agentTurnOf } from '../agent-turn.js';
import { parseJsonScenario } from '../json-scenario.js';
import { replyTo } from '../player.js';
import type { Scenario } from '../scenario.js';
import type { Message, MessagesRequest } from '../wire.js';

const ORDER = 'This conversation has become too long to go on with. Write a record of it.';
const calling: Scenario = {
  name: 'calling',
  agents: {},
  default: () => ({ toolCalls: [{ name: 'read_file', input: { path: 'a' } }] }),
};

function answerTo(messages: Message[], scenarios: readonly Scenario[] = [calling]): string {
  const tool = { name: 'read_file', input_schema: { type: 'object' } };
  const request = { model: 'claude-sonnet-5-5', max_tokens: 1_000, tools: [tool], messages };
  return replyTo(agentTurnOf(request as MessagesRequest), scenarios).text ?? '';
}

function conversation(turns: number, start: string): Message[] {
  const rounds = Array.from({ length: turns }, (_, at): Message[] => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: at === 0 ? 'Fact: the port is 4711.\nLet me see.' : 'On.' },
        { type: 'tool_use', id: `toolu_${at}`, name: 'read_file', input: { path: `src/f${at}.ts` } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_${at}`, content: `words\nDecision: no ${at}` }],
    },
  ]);
  return [{ role: 'user', content: start }, ...rounds.flat()];
}
const order: Message = { role: 'user', content: [{ type: 'text', text: ORDER }] };

describe('a record of a simulated conversation', () => {
  it('carries the facts that were said or read, whatever the agent would do next', () => {
    const text = answerTo([...conversation(3, 'Fact: the user is called Kim.'), order]);
    for (const fact of ['the user is called Kim', 'the port is 4711', 'Decision: no 2', 'src/f1.ts'])
      expect(text).toContain(fact);
  });

  it('carries over what an earlier record had, once', () => {
    const earlier = answerTo([...conversation(3, 'Go.'), order]);
    const later = answerTo([...conversation(2, `This is a record.\n\n${earlier}`), order]);
    expect(later.split('the port is 4711')).toHaveLength(2);
    expect(later).toContain('Decision: no 2');
  });

  it('does not grow with the conversation', () => {
    const [long, longer] = [100, 400].map((turns) => answerTo([...conversation(turns, 'Go.'), order]));
    expect(longer?.length).toBeLessThan((long?.length ?? 0) * 1.1);
  });

  it('is what the scenario says, where it says it', () => {
    const scenario = parseJsonScenario(
      { name: 's', agents: {}, default: { replies: [{ text: 'Hi.' }] }, record: 'Asked for: {{prompt}}' },
      's',
    );
    expect(answerTo([...conversation(1, 'Mend it.'), order], [scenario])).toBe('Asked for: Mend it.');
  });

  it('is only made when the newest message asks for it', () => {
    expect(answerTo([...conversation(1, ORDER)])).toBe('');
  });
});
