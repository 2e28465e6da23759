/** The agent that counts one folder: lists it, looks into the largest files, searches for open ends, reports. */
import type { AgentTurn } from '../agent-turn.js';
import type { Reply, ToolCall } from '../scenario.js';
import { estimateTokens } from '../tokens.js';
import { findingsOf, fitTodos, type FolderFindings } from './findings.js';
import { MAX_TRIES, outcomeOf, readPages, type PagedRead } from './history.js';
import { readHeadInput } from './tool-input.js';
import {
  parseDetailedListing,
  parseJsonResult,
  parseSearch,
  type Listing,
  type ListingEntry,
  type SearchResult,
} from './tool-output.js';

const TODO_PATTERN = '\\b(TODO|FIXME)\\b';
/** The group of what lies at the top level itself, with the hidden directories there. */
export const TOP_LEVEL = '.';
const HEADS = 3;
const HEAD_LINES = 40;

type Reading = PagedRead<Listing> | PagedRead<SearchResult>;

/** Plays `survey-reader`. */
export function surveyReader(turn: AgentTurn): Reply {
  const folder = folderIn(turn.prompt);
  if (folder === undefined)
    return giveUp(turn, 'I was given no folder to survey, so there are no findings. (simulated)');
  if (turn.toolChoice.type === 'none')
    return { text: `I have no complete findings for \`${folder}\`. (simulated)` };

  const listings =
    folder === TOP_LEVEL
      ? topLevelListings(turn)
      : [readListing(turn, { path: folder, recursive: true, details: true })];
  const search = readPages(
    turn,
    { name: 'search_files', input: { pattern: TODO_PATTERN, path: folder } },
    parseSearch,
  );
  const readings: Reading[] = [...listings, search];
  const failed = readings.find((reading) => reading.state === 'failed');
  if (failed !== undefined)
    return giveUp(turn, `I could not survey \`${folder}\`: ${failed.why.slice(0, 300)} (simulated)`);
  const calls = readings.flatMap((reading) => (reading.state === 'unfinished' ? [reading.call] : []));
  if (calls.length > 0) return { text: progressText(folder, readings), toolCalls: calls };

  const entries = listings
    .flatMap(({ pages }) => pages.flatMap((page) => page.entries))
    .filter(({ path }) => isPartOf(path, folder));
  const heads = headCalls(turn, entries);
  if (heads.length > 0) return { text: 'Looking into the largest files.', toolCalls: heads };
  const matches = search.pages.flatMap((page) => page.matches).filter(({ path }) => isPartOf(path, folder));
  return complete(turn, findingsOf(folder, entries, matches));
}

/** The product puts a task's typed input into its prompt as a fenced json block; the last one with a folder counts. */
function folderIn(prompt: string): string | undefined {
  for (const [, block = ''] of [...prompt.matchAll(/```json\s*\n([\s\S]*?)```/g)].toReversed()) {
    const value = parseJsonResult(block);
    if (value !== null && typeof value === 'object' && 'folder' in value && typeof value.folder === 'string')
      return value.folder;
  }
  return undefined;
}

/** The top level itself, then each hidden directory in it. */
function topLevelListings(turn: AgentTurn): Array<PagedRead<Listing>> {
  const top = readListing(turn, { path: TOP_LEVEL, depth: 1, details: true });
  if (top.state !== 'complete') return [top];
  const hidden = top.pages
    .flatMap(({ entries }) => entries)
    .filter(({ kind, path }) => kind === 'directory' && path.startsWith('.') && path !== '.git');
  return [top, ...hidden.map(({ path }) => readListing(turn, { path, recursive: true, details: true }))];
}

function readListing(turn: AgentTurn, input: Record<string, unknown>): PagedRead<Listing> {
  return readPages(turn, { name: 'list_files', input }, parseDetailedListing);
}

/** The search of the top level goes through everything; what belongs to another reader is left to it. */
function isPartOf(path: string, folder: string): boolean {
  return folder !== TOP_LEVEL || !path.includes('/') || path.startsWith('.');
}

function progressText(folder: string, readings: readonly Reading[]): string {
  const pages = readings.reduce((count, reading) => count + reading.pages.length, 0);
  return pages === 0 ? `Surveying \`${folder}\`.` : `Going on with \`${folder}\`: ${pages} pages read.`;
}

/** Reads the largest text files once; whether that works is of no importance for the numbers. */
function headCalls(turn: AgentTurn, entries: readonly ListingEntry[]): ToolCall[] {
  const tool = turn.tool('read_file');
  if (tool === undefined || outcomeOf(turn, 'read_file').tries > 0) return [];
  return entries
    .filter(({ kind, bytes = 0 }) => kind === 'file' && bytes > 0)
    .toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0))
    .slice(0, HEADS)
    .map(({ path }) => ({ name: 'read_file', input: readHeadInput(tool, path, HEAD_LINES) }));
}

/** Says that nothing came of it, in the way that the task has for it. */
function giveUp(turn: AgentTurn, reason: string): Reply {
  if (turn.tool('complete_task') === undefined) return { text: reason };
  return { text: reason, toolCalls: [{ name: 'complete_task', input: { status: 'blocked', reason } }] };
}

function complete(turn: AgentTurn, findings: FolderFindings): Reply {
  const { done, tries } = outcomeOf(turn, 'complete_task');
  const { folder, files, lines } = findings;
  const text = `\`${folder}\` has ${files} files with ${lines} lines and ${findings.todos.length} open ends. (simulated)`;
  if (done !== undefined || tries >= MAX_TRIES) return { text };
  // Half of the answer is left for the other findings: the estimate is rough.
  const { todos, omitted } = fitTodos(findings.todos, turn.maxTokens / 2, estimateTokens);
  const note = omitted === 0 ? '' : ` The last ${omitted} of the open ends did not fit into the answer.`;
  return {
    text: text + note,
    toolCalls: [{ name: 'complete_task', input: { output: { ...findings, todos } } }],
  };
}
