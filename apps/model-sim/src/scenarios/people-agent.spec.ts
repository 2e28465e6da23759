import { describe, expect, it } from '@jest/globals';
import { agentTurnOf } from '../agent-turn.js';
import { replyTo } from '../player.js';
import type { Reply } from '../scenario.js';
import type { Message, ToolDefinition } from '../wire.js';

const SYSTEM = 'Agent: general\n\nA person can be asked (ask_user).';
const tools = (...names: string[]): ToolDefinition[] =>
  names.map((name) => ({ name, input_schema: { type: 'object' } }));
const ALL = tools('list_files', 'ask_user', 'write_file', 'run_command');

/** Plays on until the agent has nothing more to do, or asks for the `until`-th call. Results are what `answer` says. */
function play(
  prompt: string | Message[],
  offered: ToolDefinition[],
  answer: (tool: string) => string = () => 'fine',
): { calls: { name: string; input: Record<string, unknown> }[]; text: string; messages: Message[] } {
  const messages: Message[] = typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : [...prompt];
  const calls: { name: string; input: Record<string, unknown> }[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    const reply: Reply = replyTo(
      agentTurnOf({ model: 'sim-1', max_tokens: 1_000, system: SYSTEM, tools: offered, messages }),
      [],
    );
    const [call] = reply.toolCalls ?? [];
    if (call === undefined) return { calls, text: reply.text ?? '', messages };
    calls.push(call);
    const id = `toolu_${messages.length}`;
    messages.push(
      { role: 'assistant', content: [{ type: 'tool_use', id, ...call }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: answer(call.name) }] },
    );
  }
  throw new Error('it goes on for ever');
}

describe('the agent that asks', () => {
  it('runs the command between backticks', () => {
    const { calls, text } = play('Please run `npm test`', ALL);
    expect(calls).toMatchObject([
      { name: 'list_files' },
      { name: 'run_command', input: { command: 'npm test' } },
    ]);
    expect(text).toContain('simulated');
  });

  it('asks, then writes, then runs, when it is told to do all of it', () => {
    const { calls } = play('Ask me, write notes and run the tests', ALL);
    expect(calls.map(({ name }) => name)).toEqual(['list_files', 'ask_user', 'write_file', 'run_command']);
  });

  it('does each thing again when it is asked again', () => {
    const { messages, text } = play('run it', ALL);
    const again: Message[] = [
      ...messages,
      { role: 'assistant', content: text },
      { role: 'user', content: 'run it' },
    ];
    expect(play(again, ALL).calls.map(({ name }) => name)).toEqual(['run_command']);
  });

  it('listens to what is said while it works', () => {
    const id = 'toolu_1';
    const said = { type: 'text' as const, text: 'Message from the user while you work:\nRun `date` instead' };
    const heard = play(
      [
        { role: 'user', content: 'write notes' },
        { role: 'assistant', content: [{ type: 'tool_use', id, name: 'write_file', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'Not run.' }, said] },
      ],
      tools('write_file', 'run_command'),
    );
    expect(heard.calls).toEqual([{ name: 'run_command', input: { command: 'date' } }]);
    expect(heard.text).toContain('“Run `date` instead”');
  });

  it("takes what its harness says of the place for nobody's words", () => {
    const environment =
      '<environment>\nGit: files to run, to change and to ask about\n</environment>\nFrom the program.';
    const texts = [environment, 'Good morning'].map((text) => ({ type: 'text' as const, text }));
    const { calls, text } = play([{ role: 'user', content: texts }], ALL);
    expect(calls.map(({ name }) => name)).toEqual(['list_files']);
    expect(text).toContain('Good morning');
    expect(text).not.toContain('environment');
  });

  it('answers plain words in words', () => {
    expect(play('Good morning', tools('ask_user')).text).toContain('“Good morning”');
  });

  it('plans, changes the plan, and carries out what is accepted', () => {
    const planning = [...tools('list_files'), ...tools('present_plan')];
    let presented = 0;
    const { calls } = play('Tidy up', [...planning, ...ALL], (tool) => {
      if (tool !== 'present_plan') return 'fine';
      presented += 1;
      return presented === 1 ? 'Revise it. Remarks: Mind the README' : 'The user accepted the plan.';
    });
    expect(calls.map(({ name }) => name)).toEqual([
      'list_files',
      'present_plan',
      'present_plan',
      'write_file',
      'run_command',
    ]);
    expect(JSON.stringify(calls[2]?.input)).toContain('Mind the README');
  });
});
