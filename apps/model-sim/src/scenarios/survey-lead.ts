/** The agent that leads the survey: divides the workspace, spawns a reader for each part, merges, writes the report. */
import { z } from 'zod';
import type { AgentTurn } from '../agent-turn.js';
import { canonicalJson } from '../canonical-json.js';
import type { Reply, ToolCall } from '../scenario.js';
import { estimateTokens } from '../tokens.js';
import {
  chunks,
  Findings,
  fitFolders,
  fitTodos,
  mergeFindings,
  REPORT_FILE,
  type SurveyOutput,
} from './findings.js';
import { MAX_TRIES, outcomeOf, readPages } from './history.js';
import { surveyReport, type Gap } from './survey-report.js';
import { TOP_LEVEL } from './survey-reader.js';
import { todosInput, type TodoItem } from './tool-input.js';
import { parseJsonResult, parseListing, type ListingEntry } from './tool-output.js';
import { plural } from './plural.js';

const Spawned = z.object({ taskId: z.string().min(1) });
const Subtask = z.object({
  taskId: z.string(),
  status: z.string(),
  cause: z.unknown().optional(),
  output: z.unknown().optional(),
  partial: z.unknown().optional(),
  error: z.unknown().optional(),
});
type Subtask = z.infer<typeof Subtask>;
const Waited = z.object({ subtasks: z.array(Subtask) });
const FINAL = ['completed', 'failed', 'cancelled'];
/** A task may have a hundred subtasks; the other half is left for readers that have to be started again. */
const MAX_GROUPS = 50;
/** A result may hold no more than one reader's findings. */
const MAX_WAITS = MAX_GROUPS + 10;
/** As many things that are missing can be named at the end of a task. */
const MAX_MISSING = 100;

/** A part of the workspace and what has become of its subtask. */
interface Group {
  folders: readonly string[];
  taskId: string | undefined;
  spawnTries: number;
}

/** Plays `survey-lead`. Each step looks at the history for what is still to be done, and does the first of it. */
export function surveyLead(turn: AgentTurn): Reply {
  if (turn.toolChoice.type === 'none')
    return { text: 'The survey did not finish, so there is no result. (simulated)' };
  const divided = divide(turn);
  if ('reply' in divided) return divided.reply;
  const groups = divided.groups.map((folders) => groupOf(turn, folders));
  return (
    planOnce(turn, groups) ?? spawnReaders(groups) ?? waitForReaders(turn, groups) ?? report(turn, groups)
  );
}

/** The folders to survey, in groups, or the calls that are needed to know them. Each folder is in one group. */
function divide(turn: AgentTurn): { groups: string[][] } | { reply: Reply } {
  const top = readPages(turn, { name: 'list_files', input: { path: '.', depth: 1 } }, parseListing);
  if (top.state === 'failed')
    return { reply: { text: `I could not list the workspace: ${top.why.slice(0, 300)} (simulated)` } };
  if (top.state === 'unfinished')
    return { reply: { text: 'I will look at the top level first.', toolCalls: [top.call] } };
  const entries = top.pages.flatMap((page) => page.entries);
  const visible = entries.filter(({ kind, path }) => kind === 'directory' && !path.startsWith('.'));
  const own = entries.some(belongsToTopLevel) ? [[TOP_LEVEL]] : [];
  const room = MAX_GROUPS - 1;
  // With several to a reader, an empty one costs nothing.
  if (visible.length > room) {
    const paths = visible.map(({ path }) => path);
    return { groups: [...own, ...chunks(paths, Math.ceil(paths.length / room))] };
  }
  const checks = visible.map(({ path }) => ({ path, ...holdsFiles(turn, path) }));
  const calls = checks.flatMap(({ call }) => (call === undefined ? [] : [call]));
  if (calls.length > 0) return { reply: { text: 'Which of the folders hold files?', toolCalls: calls } };
  return { groups: [...own, ...checks.filter(({ answer }) => answer).map(({ path }) => [path])] };
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

function groupOf(turn: AgentTurn, folders: readonly string[]): Group {
  const asked = canonicalJson(folderInput(folders));
  const spawns = turn.allToolResults.filter(
    ({ name, input }) => name === 'spawn_subtask' && canonicalJson(input['input'] ?? null) === asked,
  );
  const ids = spawns.flatMap(({ isError, text }) =>
    isError ? [] : (Spawned.safeParse(parseJsonResult(text)).data?.taskId ?? []),
  );
  return { folders, taskId: ids[0], spawnTries: spawns.length };
}

function folderInput(folders: readonly string[]): { folder: string | readonly string[] } {
  const [only] = folders;
  return { folder: folders.length === 1 && only !== undefined ? only : folders };
}

function planOnce(turn: AgentTurn, groups: readonly Group[]): Reply | undefined {
  const tool = turn.tool('update_todos');
  if (
    tool === undefined ||
    outcomeOf(turn, 'update_todos').tries > 0 ||
    groups.some(({ spawnTries }) => spawnTries > 0)
  )
    return undefined;
  const text = `Parts to survey: ${groups.length}. Each gets its own reader.`;
  return {
    text,
    toolCalls: [{ name: 'update_todos', input: todosInput(tool, todoItems(groups, 'pending')) }],
  };
}

function todoItems(groups: readonly Group[], status: TodoItem['status']): TodoItem[] {
  const steps = [...groups.map(({ folders }) => `Survey ${nameOf(folders)}`), `Write ${REPORT_FILE}`];
  return steps.map((text) => ({ text, status }));
}

/** All readers in one turn, so that they run side by side. */
function spawnReaders(groups: readonly Group[]): Reply | undefined {
  const open = groups.filter(({ taskId, spawnTries }) => taskId === undefined && spawnTries < MAX_TRIES);
  if (open.length === 0) return undefined;
  const toolCalls = open.map(({ folders }) => ({
    name: 'spawn_subtask',
    input: {
      agent: 'survey-reader',
      prompt: `Survey ${nameOf(folders)}: count files, lines and bytes by language, and collect every TODO and FIXME.`,
      title: `Survey ${nameOf(folders)}`,
      input: folderInput(folders),
    },
  }));
  return { text: `Starting ${plural(open.length, 'reader')}.`, toolCalls };
}

function waitForReaders(turn: AgentTurn, groups: readonly Group[]): Reply | undefined {
  const ended = endedSubtasks(turn);
  const open = groups.flatMap(({ taskId }) => (taskId === undefined || ended.has(taskId) ? [] : [taskId]));
  const { tries } = outcomeOf(turn, 'wait_for_subtasks');
  if (open.length === 0 || tries >= MAX_WAITS) return undefined;
  // One result for all may be longer than the cap on tool results; then each is requested alone, once.
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

/** Writes the report, then says how the survey ended, with the same numbers as typed output. */
function report(turn: AgentTurn, groups: readonly Group[]): Reply {
  const { found, gaps } = collect(turn, groups);
  const merged = mergeFindings(
    found,
    gaps.map(({ folder }) => folder),
  );
  const output = { ...merged, folders: fitFolders(merged.folders, turn.maxTokens / 4, estimateTokens) };
  const written = outcomeOf(turn, 'write_file');
  if (written.done === undefined) {
    if (written.tries >= MAX_TRIES)
      return { text: `I could not write ${REPORT_FILE}, so the survey has no report. (simulated)` };
    return {
      text: 'All readers have finished. Writing the report.',
      toolCalls: writeCalls(turn, groups, surveyReport(output, gaps)),
    };
  }
  const { done, tries } = outcomeOf(turn, 'complete_task');
  const text = summaryText(output);
  if (done !== undefined || tries >= MAX_TRIES) return { text };
  const { todos, omitted } = fitTodos(output.todos, turn.maxTokens / 2, estimateTokens);
  const missing = missingText(gaps, omitted);
  const input = { ...endOf(missing, found.length), output: { ...output, todos } };
  return { text, toolCalls: [{ name: 'complete_task', input }] };
}

/** Done is what has no gap. */
function endOf(missing: readonly string[], found: number): Record<string, unknown> {
  if (missing.length === 0) return { status: 'done' };
  if (found > 0) return { status: 'partial', missing };
  return { status: 'blocked', reason: 'No reader finished.', missing };
}

function missingText(gaps: readonly Gap[], omittedTodos: number): string[] {
  const todos =
    omittedTodos === 0 ? [] : [`the last ${omittedTodos} TODO lines, which did not fit in the typed output`];
  const all = [...gaps.map(({ folder, why }) => `${nameOf([folder])}: ${why}`.slice(0, 1_000)), ...todos];
  if (all.length <= MAX_MISSING) return all;
  const named = all.slice(0, MAX_MISSING - 1);
  return [...named, `and ${all.length - named.length} more; "incomplete" in the output names all folders`];
}

function writeCalls(turn: AgentTurn, groups: readonly Group[], content: string): ToolCall[] {
  const write = { name: 'write_file', input: { path: REPORT_FILE, content } };
  const todos = turn.tool('update_todos');
  if (todos === undefined) return [write];
  return [{ name: 'update_todos', input: todosInput(todos, todoItems(groups, 'completed')) }, write];
}

/** What readers found, and the folders that they left open: a reader that did only a part says so, and its numbers count. */
function collect(turn: AgentTurn, groups: readonly Group[]): { found: Findings[]; gaps: Gap[] } {
  const ended = endedSubtasks(turn);
  const found: Findings[] = [];
  const gaps: Gap[] = [];
  for (const { folders, taskId } of groups) {
    const subtask = taskId === undefined ? undefined : ended.get(taskId);
    const saidPart = subtask?.status === 'failed' && subtask.cause === 'partial';
    const usable = subtask?.status === 'completed' || saidPart;
    const findings = usable ? Findings.safeParse(subtask?.output).data : undefined;
    if (findings !== undefined) found.push(findings);
    const unnamed = folders.filter((folder) => !findings?.folders.some((count) => count.folder === folder));
    for (const folder of saidPart && findings !== undefined ? folders : unnamed)
      gaps.push({ folder, why: whyNotAll(taskId, subtask), isCounted: findings !== undefined && saidPart });
  }
  return { found, gaps };
}

function whyNotAll(taskId: string | undefined, subtask: Subtask | undefined): string {
  if (taskId === undefined) return 'its reader could not be started';
  if (subtask === undefined) return 'the result of its reader could not be read';
  if (subtask.status === 'completed') return 'its reader gave no usable output';
  if (typeof subtask.error === 'string') return `its reader ended as ${subtask.status}: ${subtask.error}`;
  const cause = typeof subtask.cause === 'string' ? subtask.cause : JSON.stringify(subtask.cause ?? null);
  return cause === 'null'
    ? `its reader ended as ${subtask.status}`
    : `its reader ended as ${subtask.status} (${cause})`;
}

/** So many folders are named in a sentence. */
const NAMED = 20;

function summaryText({ totals, folders, todos, incomplete }: SurveyOutput): string {
  const named = incomplete.slice(0, NAMED).join(', ');
  const more = incomplete.length > NAMED ? ` and ${incomplete.length - NAMED} more` : '';
  const missing = incomplete.length === 0 ? '' : ` Not surveyed completely: ${named}${more}.`;
  return `Surveyed ${plural(folders.length, 'part')}: ${plural(totals.files, 'file')}, ${plural(totals.lines, 'line')}, ${plural(todos.length, 'open TODO')}. The report is in ${REPORT_FILE}.${missing} (simulated)`;
}

function nameOf(folders: readonly string[]): string {
  const [first = '', last = ''] = [folders[0], folders.at(-1)];
  if (folders.length > 1) return `${first} to ${last} (${folders.length} folders)`;
  return first === TOP_LEVEL ? 'top level' : first;
}
