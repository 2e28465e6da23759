/** A parent that spawns so many children in one answer, waits for them, and ends; children that end at their first answer. */
import { harnessTools, type Model, type ModelRequest, ToolRegistry } from '@bullpen/core';
import { benchAgent, scriptedModel, type Answer } from './loop.js';

const CHILD = benchAgent([], 'child');

export const LEAD = benchAgent(['spawn_subtask', 'wait_for_subtasks'], 'lead');

/** The product's own tools for subtasks. */
export const FAMILY_TOOLS = new ToolRegistry(harnessTools({ agents: [CHILD], validate: () => [] }));

/** Plays both; looks only at the newest message. `child` may take its time with the answer of a child. */
export function familyModel(children: number, child: () => Promise<void> = () => Promise.resolve()): Model {
  return scriptedModel(async (_n, request) => {
    if (request.tools.length > 0) return leadAnswer(children, request);
    await child();
    return { text: 'Done.' };
  });
}

function leadAnswer(children: number, { messages }: ModelRequest): Answer {
  if (messages.length === 1)
    return {
      calls: Array.from({ length: children }, (_, n) => ({
        name: 'spawn_subtask',
        input: { agent: 'child', prompt: `Part ${n}` },
      })),
    };
  if (messages.length > 3) return { text: 'All have ended.' };
  const results = messages.at(-1)?.content ?? [];
  const taskIds = results.flatMap((block) =>
    block.type === 'tool_result' ? [(JSON.parse(block.content) as { taskId: string }).taskId] : [],
  );
  return { calls: [{ name: 'wait_for_subtasks', input: { taskIds } }] };
}
