/** The agent that leads the survey: divides the workspace, spawns a reader for each part, merges, writes the report. */
import { z } from 'zod';
import type { AgentTurn } from '../agent-turn.js';
import type { Reply, ToolCall } from '../scenario.js';
import { estimateTokens } from '../tokens.js';
import { FolderFindings, fitTodos, mergeFindings, REPORT_FILE, type SurveyOutput } from './findings.js';
import { MAX_TRIES, outcomeOf, readPages } from './history.js';
import { surveyReport, type FailedFolder } from './survey-report.js';
import { TOP_LEVEL } from './survey-reader.js';
import { todosInput, type TodoItem } from './tool-input.js';
import { parseJsonResult, parseListing, type ListingEntry } from './tool-output.js';

const Spawned = z.object({ taskId: z.string().min(1) });
const Subtask = z.object({
  taskId: z.string(),
  status: z.string(),
  cause: z.unknown().optional(),
  output: z.unknown().optional(),
});
type Subtask = z.infer<typeof Subtask>;
const Waited = z.object({ subtasks: z.array(Subtask) });
const FINAL = ['completed', 'failed', 'cancelled'];
const MAX_WAITS = 20;

/** A part of the workspace and what has become of its subtask. */
interface Group {
  folder: string;
  taskId: string | undefined;
  spawnTries: number;
}

/** Plays `survey-lead`. Each step looks at the history for what is still to be done, and does the first of it. */
export function surveyLead(turn: AgentTurn): Reply {
  if (turn.toolChoice.type === 'none')
    return { text: 'The survey did not come to an end, so there is no result. (simulated)' };
  const divided = divide(turn);
  if ('reply' in divided) return divided.reply;
  const groups = divided.folders.map((folder) => groupOf(turn, folder));
  return (
    planOnce(turn, groups) ?? spawnReaders(groups) ?? waitForReaders(turn, groups) ?? report(turn, groups)
  );
}

/** The folders to survey, or the calls that are needed to know them. */
function divide(turn: AgentTurn): { folders: string[] } | { reply: Reply } {
  const top = readPages(turn, { name: 'list_files', input: { path: '.', depth: 1 } }, parseListing);
  if (top.state === 'failed')
    return { reply: { text: `I could not list the workspace: ${top.why.slice(0, 300)} (simulated)` } };
  if (top.state === 'unfinished')
    return { reply: { text: 'I will look at the top level first.', toolCalls: [top.call] } };
  const entries = top.pages.flatMap((page) => page.entries);
  const visible = entries.filter(({ kind, path }) => kind === 'directory' && !path.startsWith('.'));
  const checks = visible.map(({ path }) => ({ path, ...holdsFiles(turn, path) }));
  const calls = checks.flatMap(({ call }) => (call === undefined ? [] : [call]));
  if (calls.length > 0) return { reply: { text: 'Which of the folders hold files?', toolCalls: calls } };
  const folders = checks.filter(({ answer }) => answer).map(({ path }) => path);
  return { folders: entries.some(belongsToTopLevel) ? [TOP_LEVEL, ...folders] : folders };
}

/** A folder whose listing fails is given to a reader all the same: its failure then shows in the report. */
function holdsFiles(turn: AgentTurn, path: string): { answer: boolean; call?: ToolCall } {
  const pages = readPages(turn, { name: 'list_files', input: { path, recursive: true } }, parseListing);
  const isFound = pages.pages.some(({ entries }) =>
    entries.some(({ kind }) => kind === 'file' || kind === 'binary'),
  );
  if (isFound || pages.state === 'failed') return { answer: true };
  return pages.state === 'unfinished' ? { answer: false, call: pages.call } : { answer: false };
}

function belongsToTopLevel({ kind, path }: ListingEntry): boolean {
  if (kind === 'directory') return path.startsWith('.') && path !== '.git';
  return kind !== 'link' && path !== REPORT_FILE;
}

function groupOf(turn: AgentTurn, folder: string): Group {
  const spawns = turn.allToolResults.filter(({ name, input }) => {
    const typed = input['input'];
    return (
      name === 'spawn_subtask' &&
      typed !== null &&
      typeof typed === 'object' &&
      'folder' in typed &&
      typed.folder === folder
    );
  });
  const ids = spawns.flatMap(({ isError, text }) =>
    isError ? [] : (Spawned.safeParse(parseJsonResult(text)).data?.taskId ?? []),
  );
  return { folder, taskId: ids[0], spawnTries: spawns.length };
}

function planOnce(turn: AgentTurn, groups: readonly Group[]): Reply | undefined {
  const tool = turn.tool('update_todos');
  if (
    tool === undefined ||
    outcomeOf(turn, 'update_todos').tries > 0 ||
    groups.some(({ spawnTries }) => spawnTries > 0)
  )
    return undefined;
  const text = `There are ${groups.length} parts to survey. Each gets a reader of its own.`;
  return {
    text,
    toolCalls: [{ name: 'update_todos', input: todosInput(tool, todoItems(groups, 'pending')) }],
  };
}

function todoItems(groups: readonly Group[], status: TodoItem['status']): TodoItem[] {
  const steps = [...groups.map(({ folder }) => `Survey ${nameOf(folder)}`), `Write ${REPORT_FILE}`];
  return steps.map((text) => ({ text, status }));
}

/** All readers in one turn, so that they run side by side. */
function spawnReaders(groups: readonly Group[]): Reply | undefined {
  const open = groups.filter(({ taskId, spawnTries }) => taskId === undefined && spawnTries < MAX_TRIES);
  if (open.length === 0) return undefined;
  const toolCalls = open.map(({ folder }) => ({
    name: 'spawn_subtask',
    input: {
      agent: 'survey-reader',
      prompt: `Survey ${nameOf(folder)}: count files, lines and bytes by language, and collect every TODO and FIXME.`,
      title: `Survey ${nameOf(folder)}`,
      input: { folder },
    },
  }));
  return { text: `Starting ${open.length} readers.`, toolCalls };
}

function waitForReaders(turn: AgentTurn, groups: readonly Group[]): Reply | undefined {
  const ended = endedSubtasks(turn);
  const open = groups.flatMap(({ taskId }) => (taskId === undefined || ended.has(taskId) ? [] : [taskId]));
  const { tries } = outcomeOf(turn, 'wait_for_subtasks');
  if (open.length === 0 || tries >= MAX_WAITS) return undefined;
  // One result for all may be longer than the cap on tool results; then each is asked for by itself, once.
  if (!wasCutOff(turn)) return { toolCalls: [waitCall(open)] };
  const untried = open.filter((taskId) => !wasAskedAlone(turn, taskId));
  return untried.length === 0
    ? undefined
    : { text: 'Reading the results one by one.', toolCalls: untried.map((taskId) => waitCall([taskId])) };
}

function waitCall(taskIds: readonly string[]): ToolCall {
  return { name: 'wait_for_subtasks', input: { taskIds: [...taskIds], mode: 'all' } };
}

function endedSubtasks(turn: AgentTurn): Map<string, Subtask> {
  const subtasks = turn.allToolResults
    .filter(({ name, isError }) => name === 'wait_for_subtasks' && !isError)
    .flatMap(({ text }) => Waited.safeParse(parseJsonResult(text)).data?.subtasks ?? []);
  return new Map(
    subtasks.filter(({ status }) => FINAL.includes(status)).map((subtask) => [subtask.taskId, subtask]),
  );
}

function wasCutOff(turn: AgentTurn): boolean {
  return turn.allToolResults.some(
    ({ name, isError, text }) =>
      name === 'wait_for_subtasks' && !isError && parseJsonResult(text) === undefined,
  );
}

function wasAskedAlone(turn: AgentTurn, taskId: string): boolean {
  return turn.allToolResults.some(({ name, input, isError }) => {
    const ids = input['taskIds'];
    return (
      name === 'wait_for_subtasks' && !isError && Array.isArray(ids) && ids.length === 1 && ids[0] === taskId
    );
  });
}

/** Writes the report, then completes with the same numbers as typed output. */
function report(turn: AgentTurn, groups: readonly Group[]): Reply {
  const { found, failed } = collect(turn, groups);
  const output = mergeFindings(
    found,
    failed.map(({ folder }) => folder),
  );
  const written = outcomeOf(turn, 'write_file');
  if (written.done === undefined) {
    if (written.tries >= MAX_TRIES)
      return { text: `I could not write ${REPORT_FILE}, so the survey has no report. (simulated)` };
    return {
      text: 'All readers have ended. Writing the report.',
      toolCalls: writeCalls(turn, groups, surveyReport(output, failed)),
    };
  }
  const { done, tries } = outcomeOf(turn, 'complete_task');
  const text = summaryText(output);
  if (done !== undefined || tries >= MAX_TRIES) return { text };
  const { todos, omitted } = fitTodos(output.todos, turn.maxTokens / 2, estimateTokens);
  const note = omitted === 0 ? '' : ` The last ${omitted} TODO lines did not fit into the typed output.`;
  return {
    text: text + note,
    toolCalls: [{ name: 'complete_task', input: { output: { ...output, todos } } }],
  };
}

function writeCalls(turn: AgentTurn, groups: readonly Group[], content: string): ToolCall[] {
  const write = { name: 'write_file', input: { path: REPORT_FILE, content } };
  const todos = turn.tool('update_todos');
  if (todos === undefined) return [write];
  return [{ name: 'update_todos', input: todosInput(todos, todoItems(groups, 'completed')) }, write];
}

function collect(
  turn: AgentTurn,
  groups: readonly Group[],
): { found: FolderFindings[]; failed: FailedFolder[] } {
  const ended = endedSubtasks(turn);
  const found: FolderFindings[] = [];
  const failed: FailedFolder[] = [];
  for (const { folder, taskId } of groups) {
    const subtask = taskId === undefined ? undefined : ended.get(taskId);
    const findings =
      subtask?.status === 'completed' ? FolderFindings.safeParse(subtask.output).data : undefined;
    if (findings === undefined) failed.push({ folder, why: whyNothing(taskId, subtask) });
    else found.push({ ...findings, folder });
  }
  return { found, failed };
}

function whyNothing(taskId: string | undefined, subtask: Subtask | undefined): string {
  if (taskId === undefined) return 'its reader could not be started';
  if (subtask === undefined) return 'the result of its reader could not be read';
  if (subtask.status === 'completed') return 'its reader gave no usable output';
  const cause = typeof subtask.cause === 'string' ? subtask.cause : JSON.stringify(subtask.cause ?? null);
  return cause === 'null'
    ? `its reader ended as ${subtask.status}`
    : `its reader ended as ${subtask.status} (${cause})`;
}

function summaryText({ totals, folders, todos, incomplete }: SurveyOutput): string {
  const missing = incomplete.length === 0 ? '' : ` Not surveyed: ${incomplete.join(', ')}.`;
  return `Surveyed ${folders.length} parts: ${totals.files} files, ${totals.lines} lines, ${todos.length} open ends. The report is in ${REPORT_FILE}.${missing} (simulated)`;
}

function nameOf(folder: string): string {
  return folder === TOP_LEVEL ? 'top level' : folder;
}
