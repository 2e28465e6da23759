/** Judges the history of one task: what a model would be sent. */
import { type ContentBlock, isTerminal, type Json } from '@bullpen/contracts';
import { historyProblems, isSatisfied, type WaitMode } from '@bullpen/core';
import type { TaskView } from './backend.js';
import { answerOf } from './plan-tools.js';
import type { TaskWitness, Witness } from './witness.js';

type Use = Extract<ContentBlock, { type: 'tool_use' }>;
type Result = Extract<ContentBlock, { type: 'tool_result' }>;

/** Adds what is wrong with the task's messages. */
export function checkHistory(task: TaskView, seen: TaskWitness, witness: Witness): void {
  checkLegal(task, witness);
  const stored = task.messages.filter(({ role }) => role === 'assistant').length;
  if (stored !== seen.assistantMessages)
    witness.object('lost', `${task.id} has ${stored} answers, and ${seen.assistantMessages} were stored`);
  task.messages.forEach((message, at) => {
    if (message.seq !== at + 1) witness.object('other', `message ${at + 1} of ${task.id} is missing`);
    if (message.role !== 'assistant') return;
    const uses = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    const next = task.messages[at + 1]?.content ?? [];
    checkResults(
      task,
      uses,
      next.flatMap((block) => (block.type === 'tool_result' ? [block] : [])),
      witness,
    );
  });
  checkSteering(task, seen, witness);
}

/** Its deadline ended it while it was paused: nobody ran it, so nobody closed what was open. */
export function endedUnrun({ cause, events }: TaskView): boolean {
  const last = events.findLast((event) => event.type === 'task.status_changed');
  return cause === 'deadline' && last?.type === 'task.status_changed' && last.data.from === 'paused';
}

/** A task that ended while nobody ran it, by a cancel or at its deadline, may end with open calls: nothing is sent any more. */
function checkLegal(task: TaskView, witness: Witness): void {
  const last = task.messages.at(-1);
  const uses =
    last?.role === 'assistant'
      ? last.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
      : [];
  const open = uses.length > 0 && isTerminal(task.state);
  if (open && task.state !== 'cancelled' && !endedUnrun(task))
    witness.object('other', `${task.id} is ${task.state} with open calls at its end`);
  const closing: ContentBlock[] = [
    ...uses.map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'x' })),
    { type: 'text', text: 'x' },
  ];
  const whole =
    last?.role === 'assistant'
      ? [...task.messages, { role: 'user' as const, content: closing }]
      : task.messages;
  for (const problem of historyProblems(whole)) witness.object('other', `${task.id}: ${problem}`);
}

/** Results come in the order of the calls, and each is that of its own call. */
function checkResults(
  task: TaskView,
  uses: readonly Use[],
  results: readonly Result[],
  witness: Witness,
): void {
  results.forEach((result, at) => {
    const use = uses[at];
    if (use?.id !== result.tool_use_id)
      return witness.object('other', `result ${at} of ${task.id} answers ${result.tool_use_id} out of order`);
    if (result.is_error === true) return;
    const { n } = use.input as { n?: number };
    if (n !== undefined && result.content !== answerOf(use.name, n))
      witness.object('other', `${task.id} was told "${result.content}" for ${use.name} n=${n}`);
    if (use.name === 'wait_for_subtasks') checkWaitResult(task, use, result, witness);
  });
}

function checkWaitResult(task: TaskView, use: Use, result: Result, witness: Witness): void {
  const { mode } = use.input as { mode: WaitMode };
  const { subtasks } = JSON.parse(result.content) as { subtasks: { status: TaskView['state'] }[] };
  const ended = subtasks.map(({ status }) => ({ state: status }));
  if (!isSatisfied(mode, ended))
    witness.object('other', `${task.id} went on although its wait (${mode}) was not over`);
}

/** What people said is delivered at most once, and exactly once when the task reached its goal. */
function checkSteering(task: TaskView, seen: TaskWitness, witness: Witness): void {
  const said: Json = task.messages.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
  );
  for (const { text, accepted } of seen.sent) {
    const times = said.filter((heard) => typeof heard === 'string' && heard.includes(text)).length;
    if (times > 1) witness.object('doubled', `${task.id} heard "${text}" ${times} times`);
    if (accepted && times === 0 && task.state === 'completed')
      witness.object('lost', `${task.id} is completed and never heard "${text}"`);
  }
}
