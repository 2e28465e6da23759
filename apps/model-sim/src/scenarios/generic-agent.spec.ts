import { describe, expect, it } from '@jest/globals';
import { agentTurnOf } from '../agent-turn.js';
import { replyTo } from '../player.js';
import type { Reply } from '../scenario.js';
import type { Message, MessagesRequest, ToolDefinition } from '../wire.js';
import { minimalValue } from './minimal-value.js';

const LIST = tool('list_files', {});
const LISTED: Message[] = [
  { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'list_files', input: {} }] },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 't', content: '.: 2 entries (showing 1-2)\nd src/\nf a.txt' },
    ],
  },
];

function tool(name: string, schema: Record<string, unknown>): ToolDefinition {
  return { name, input_schema: { type: 'object', ...schema } };
}

function answer(overrides: Partial<MessagesRequest> = {}, later: Message[] = []): Reply {
  const messages: Message[] = [{ role: 'user', content: 'Tidy the garden.' }, ...later];
  return replyTo(agentTurnOf({ model: 'sim-1', max_tokens: 1_000, messages, ...overrides }), []);
}

describe('the generic agent', () => {
  it('greets, says that it is simulated, quotes the prompt', () => {
    const { text, toolCalls } = answer();
    expect(text).toContain('simulated');
    expect(text).toContain('“Tidy the garden.”');
    expect(toolCalls).toBeUndefined();
  });

  it('looks at the files once, then says what it saw', () => {
    expect(answer({ tools: [LIST] }).toolCalls).toEqual([{ name: 'list_files', input: { path: '.' } }]);
    const after = answer({ tools: [LIST] }, LISTED);
    expect(after.toolCalls).toBeUndefined();
    expect(after.text).toContain('saw 2 entries, such as `src`, `a.txt`');
  });

  it('writes or runs what it is told to, once, and says what came of it', () => {
    const tools = [tool('write_file', {}), tool('run_command', {})];
    const messages: Message[] = [{ role: 'user', content: 'Write hello into notes.txt and run `date`' }];
    const names: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const [call] = answer({ tools, messages }).toolCalls ?? [];
      if (call === undefined) break;
      names.push(call.name);
      const isError = call.name === 'run_command';
      const content = isError
        ? 'Not run: the approvals do not allow commands.'
        : 'Created notes.txt (1 line).';
      messages.push(
        { role: 'assistant', content: [{ type: 'tool_use', id: call.name, ...call }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call.name, content, is_error: isError }],
        },
      );
    }
    expect(names).toEqual(['write_file', 'run_command']);
    const { text } = answer({ tools, messages });
    expect(text).toContain('- `write_file`: Created notes.txt (1 line).');
    expect(text).toContain('- `run_command` failed: Not run: the approvals do not allow commands.');
  });

  it('completes with an untyped output, but leaves a typed one to the extraction', () => {
    const untyped = tool('complete_task', { properties: { output: {} }, required: ['output'] });
    expect(answer({ tools: [LIST, untyped] }, LISTED).toolCalls).toMatchObject([
      { name: 'complete_task', input: { output: {} } },
    ]);
    const withStatus = tool('complete_task', {
      properties: {
        status: { enum: ['done', 'partial'] },
        output: { description: 'any' },
        missing: { type: 'array' },
      },
      required: ['status'],
    });
    expect(answer({ tools: [LIST, withStatus] }, LISTED).toolCalls).toMatchObject([
      { name: 'complete_task', input: { status: 'done', output: { summary: expect.any(String) } } },
    ]);
    const typed = tool('complete_task', {
      properties: { output: { type: 'object', properties: { n: { type: 'number' } } } },
    });
    expect(answer({ tools: [LIST, typed] }, LISTED).toolCalls).toBeUndefined();
  });

  it('answers an extraction with a minimal value of the schema', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 3 }, s: { enum: ['a', 'b'] } },
      required: ['n', 's'],
    };
    const ask = `Give the result as JSON:\n\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``;
    const { text, toolCalls } = answer({ tools: [LIST], tool_choice: { type: 'none' } }, [
      { role: 'assistant', content: 'Ok.' },
      { role: 'user', content: ask },
    ]);
    expect(toolCalls).toBeUndefined();
    expect(JSON.parse(text ?? '')).toEqual({ n: 3, s: 'a' });
  });

  it('calls the tool that it is forced to call', () => {
    const forced = tool('set', { properties: { on: { type: 'boolean' } }, required: ['on'] });
    expect(answer({ tools: [LIST, forced], tool_choice: { type: 'tool', name: 'set' } }).toolCalls).toEqual([
      { name: 'set', input: { on: false } },
    ]);
    const complete = tool('complete_task', {
      properties: { status: { enum: ['done', 'partial'] }, output: { type: 'integer' } },
      required: ['status'],
    });
    const choice = { type: 'tool', name: 'complete_task' } as const;
    expect(answer({ tools: [complete], tool_choice: choice }).toolCalls).toEqual([
      { name: 'complete_task', input: { status: 'done', output: 0 } },
    ]);
  });
});

describe('minimalValue', () => {
  it('follows references and alternatives, and stops in a schema without end', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/A' },
        list: { type: 'array', minItems: 2, items: { type: 'string', minLength: 12 } },
      },
      required: ['a', 'list'],
      $defs: { A: { anyOf: [{ type: 'null' }, { type: 'string' }] } },
    };
    expect(minimalValue(schema)).toEqual({ a: null, list: ['simulated...', 'simulated...'] });
    expect(() => minimalValue({ $ref: '#' })).not.toThrow();
  });
});
