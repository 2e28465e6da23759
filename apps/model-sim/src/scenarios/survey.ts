import type { AgentTurn } from '../agent-turn.js';
import { defineScenario, type AgentScript, type Reply } from '../scenario.js';
import { surveyLead } from './survey-lead.js';
import { surveyReader } from './survey-reader.js';

/** The product's demo: one agent divides a workspace, several count their part of it at the same time, one report comes out. */
export const surveyScenario = defineScenario({
  name: 'survey',
  description:
    'Counts files, lines, languages and open TODOs of a workspace, with one subtask for each top-level folder.',
  agents: { 'survey-lead': offeredOnly(surveyLead), 'survey-reader': offeredOnly(surveyReader) },
});

/** A model calls no tool that it was not offered: it says that it can't go on, for instance in the last turn after a limit. */
function offeredOnly(script: AgentScript): AgentScript {
  return (turn: AgentTurn): Reply => {
    const reply = script(turn);
    const missing = (reply.toolCalls ?? []).find(({ name }) => turn.tool(name) === undefined);
    if (missing === undefined || turn.toolChoice.type === 'none') return reply;
    return { text: `I cannot go on: the tool ${missing.name} is not available. (simulated)` };
  };
}
