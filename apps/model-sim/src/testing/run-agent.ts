/** The smallest agent loop that there is: ask, run the tools, ask again. */
import type { ModelSim } from '../start-model-sim.js';
import type { ContentBlock, Message } from '../wire.js';
import { assemble, aUser, stream } from './api-client.js';
import type { FakeTool } from './fake-tools.js';

export interface AgentRun {
  messages: Message[];
  /** What complete_task was called with; undefined when the agent stopped without it. */
  completion: Record<string, unknown> | undefined;
  output: unknown;
  text: string;
}

export interface AgentRunOptions {
  agent: string;
  prompt: string;
  tools: Record<string, FakeTool>;
  maxTurns?: number;
}

/** Runs an agent until it completes or calls no tool. A tool that throws gives an error result. */
export async function runAgent(
  sim: ModelSim,
  { agent, prompt, tools, maxTurns = 60 }: AgentRunOptions,
): Promise<AgentRun> {
  const messages: Message[] = [aUser(prompt)];
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const events = await stream(sim, {
      model: 'claude-sonnet-5-5',
      max_tokens: 32_000,
      system: `Agent: ${agent}\nYou are an agent.`,
      tools: Object.keys(tools).map((name) => ({ name, input_schema: { type: 'object' } })),
      messages,
    });
    const content = assemble(events).content as unknown as ContentBlock[];
    messages.push({ role: 'assistant', content });
    const calls = content.filter((block) => block.type === 'tool_use');
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const completion = calls.find(({ name }) => name === 'complete_task');
    if (completion !== undefined) {
      const { input } = completion;
      return { messages, completion: input, output: input['output'], text };
    }
    if (calls.length === 0) return { messages, completion: undefined, output: undefined, text };
    messages.push({
      role: 'user',
      content: calls.map(({ id, name, input }) => resultOf(id, tools[name], input)),
    });
  }
  throw new Error(`${agent} did not finish in ${maxTurns} turns`);
}

function resultOf(id: string, tool: FakeTool | undefined, input: Record<string, unknown>): ContentBlock {
  try {
    return { type: 'tool_result', tool_use_id: id, content: tool?.(input) ?? '' };
  } catch (error) {
    return { type: 'tool_result', tool_use_id: id, content: String(error), is_error: true };
  }
}
