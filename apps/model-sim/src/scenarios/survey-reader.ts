/** The agent that counts folders: lists them, looks at the largest files, searches for open TODOs, reports. */
import type { AgentTurn } from '../agent-turn.js';
import type { Reply, ToolCall } from '../scenario.js';
import { estimateTokens } from '../tokens.js';
import { findingsOf, fitTodos, type Findings } from './findings.js';
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

/** What was read of one folder. */
interface Part {
  readonly folder: string;
  readonly listings: Array<PagedRead<Listing>>;
  readonly search: PagedRead<SearchResult>;
}

/** Plays `survey-reader`. */
export function surveyReader(turn: AgentTurn): Reply {
  const folders = foldersIn(turn.prompt);
  if (folders.length === 0)
    return giveUp(turn, 'I was given no folder to survey, so there are no findings. (simulated)');
  if (turn.toolChoice.type === 'none')
    return { text: `I have no complete findings for ${named(folders)}. (simulated)` };

  const parts = folders.map((folder) => partOf(turn, folder));
  for (const { folder, listings, search } of parts) {
    const failed = [...listings, search].find((reading) => reading.state === 'failed');
    if (failed !== undefined)
      return giveUp(turn, `I could not survey \`${folder}\`: ${failed.why.slice(0, 300)} (simulated)`);
  }
  const calls = parts
    .flatMap(({ listings, search }) => [...listings, search])
    .flatMap((reading) => (reading.state === 'unfinished' ? [reading.call] : []));
  if (calls.length > 0) return { text: progressText(parts), toolCalls: calls };

  const entries = new Map(parts.map((part) => [part.folder, entriesOf(part)]));
  const heads = headCalls(turn, [...entries.values()].flat());
  if (heads.length > 0) return { text: 'Looking at the largest files.', toolCalls: heads };
  const matches = parts.flatMap(({ folder, search }) =>
    search.pages.flatMap((page) => page.matches).filter(({ path }) => isPartOf(path, folder)),
  );
  return complete(turn, findingsOf(entries, matches), notesOf(parts));
}

/** The product puts a task's typed input into its prompt as a fenced json block; the last one with a folder counts. */
function foldersIn(prompt: string): readonly string[] {
  for (const [, block = ''] of [...prompt.matchAll(/```json\s*\n([\s\S]*?)```/g)].toReversed()) {
    const value = parseJsonResult(block);
    if (value === null || typeof value !== 'object' || !('folder' in value)) continue;
    const given: unknown[] = Array.isArray(value.folder) ? value.folder : [value.folder];
    const folders = given.filter((folder) => typeof folder === 'string');
    if (folders.length === given.length) return folders;
  }
  return [];
}

function partOf(turn: AgentTurn, folder: string): Part {
  const search = { name: 'search_files', input: { pattern: TODO_PATTERN, path: folder } };
  return {
    folder,
    listings:
      folder === TOP_LEVEL
        ? topLevelListings(turn)
        : [readListing(turn, { path: folder, recursive: true, details: true })],
    search: readPages(turn, search, parseSearch),
  };
}

function entriesOf({ folder, listings }: Part): ListingEntry[] {
  return listings
    .flatMap(({ pages }) => pages.flatMap((page) => page.entries))
    .filter(({ path }) => isPartOf(path, folder));
}

/** What a search did not see is not known, and said. */
function notesOf(parts: readonly Part[]): string[] {
  return parts.flatMap(({ folder, search }) =>
    [...new Set(search.pages.flatMap(({ notes }) => notes))].map(
      (note) => `open TODOs in ${folder}: the search says "${note}"`,
    ),
  );
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

function progressText(parts: readonly Part[]): string {
  const readings = parts.flatMap(({ listings, search }) => [...listings, search]);
  const pages = readings.reduce((count, reading) => count + reading.pages.length, 0);
  const folders = named(parts.map(({ folder }) => folder));
  return pages === 0 ? `Surveying ${folders}.` : `Continuing with ${folders}, pages read: ${pages}.`;
}

function named(folders: readonly string[]): string {
  const [first = ''] = folders;
  return folders.length < 2 ? `\`${first}\`` : `\`${first}\` and ${folders.length - 1} more`;
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

function complete(turn: AgentTurn, findings: Findings, notes: readonly string[]): Reply {
  const { done, tries } = outcomeOf(turn, 'complete_task');
  const { folders, files, lines } = findings;
  const text = `${named(folders.map(({ folder }) => folder))}: files ${files}, lines ${lines}, open TODOs ${findings.todos.length}. (simulated)`;
  if (done !== undefined || tries >= MAX_TRIES) return { text };
  // Half of the answer is left for the other findings: the estimate is rough.
  const { todos, omitted } = fitTodos(findings.todos, turn.maxTokens / 2, estimateTokens);
  const missing = [
    ...notes,
    ...(omitted === 0 ? [] : [`the last ${omitted} of the open TODOs, which did not fit in the answer`]),
  ];
  const output = { ...findings, todos };
  const input = missing.length === 0 ? { status: 'done', output } : { status: 'partial', output, missing };
  return { text, toolCalls: [{ name: 'complete_task', input }] };
}
