/** list_files: what a folder holds, in pages of one entry per line. Other code parses the format: change both together. */
import { nounFor, plural } from '@bullpen/contracts';
import { readlink } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { defineTool, failure, success, type Tool, type ToolOutcome } from '@bullpen/core';
import {
  entryNames,
  resolveForReading,
  SteadyFolder,
  type InsidePath,
  type WalkEntry,
} from '@bullpen/workspace';
import { inspectFile } from './file-content.js';
import { withNearNames } from './near-names.js';
import { continueLine, fitOnPage, showing, showPath } from './pages.js';
import { entriesAt } from './entries.js';
import { pathInspection } from './touched-paths.js';

const input = z.strictObject({
  path: z.string().default('.').describe('Folder, relative to the workspace folder.'),
  depth: z.int().min(1).max(100).default(1).describe('How many levels to go down; 1 is the folder itself.'),
  recursive: z.boolean().default(false).describe('Go down all levels.'),
  details: z.boolean().default(false).describe('Also show line counts and sizes.'),
  offset: z.int().min(0).max(100_000_000).default(0).describe('Entries to skip.'),
  limit: z.int().min(1).max(1_000).default(200).describe('Entries to show.'),
});
type Input = z.output<typeof input>;

export function listFilesTool(): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists a folder of the workspace, sorted by path; ignored files (.gitignore) and .git are left out. One entry per line: ' +
      '"f <path>", "d <path>/", "l <path> -> <target>" (symbolic link). With details: "f <lines> <bytes> <path>" for text, ' +
      '"b - <bytes> <path>" for a binary file; recursive with details lists files and links only. ' +
      'Unusual paths are written as JSON strings. Results come in pages; continue with offset.',
    group: 'read',
    resume: 'repeat',
    input,
    inspect: pathInspection('read'),
    run: async (args, context, signal) => {
      const resolved = await resolveForReading(context.workspacePath, args.path);
      if (!resolved.ok) return failure(await withNearNames(context.workspacePath, args.path, resolved));
      return list(resolved.place, args, signal);
    },
  });
}

async function list(place: InsidePath, args: Input, signal: AbortSignal): Promise<ToolOutcome> {
  const found = await entriesAt(place, args.recursive ? Infinity : args.depth, signal);
  if (found === null)
    return failure(`${showPath(place.relative)} can't be listed: permission denied, or it was just removed.`);
  const entries = args.recursive && args.details ? found.filter((entry) => entry.kind !== 'folder') : found;
  if (args.offset > 0 && args.offset >= entries.length) {
    return failure(
      `There ${nounFor(entries.length, 'is', 'are')} only ${plural(entries.length, 'entry', 'entries')}; use an offset below ${entries.length}.`,
    );
  }
  const lines: string[] = [];
  for (const entry of entries.slice(args.offset, args.offset + args.limit)) {
    lines.push(await lineOf(place.root, entry, args.details, signal));
    // The page is full: the rest would be looked at for nothing.
    if (fitOnPage(lines, args.limit) < lines.length) break;
  }
  const count = fitOnPage(lines, args.limit);
  const head = `${showPath(place.relative || '.')}: ${plural(entries.length, 'entry', 'entries')} (${showing(args.offset, count)})`;
  return success(
    [
      head,
      ...lines.slice(0, count),
      ...continueLine(['entry', 'entries'], entries.length, args.offset + count),
    ].join('\n'),
  );
}

async function lineOf(
  root: string,
  entry: WalkEntry,
  details: boolean,
  signal: AbortSignal,
): Promise<string> {
  const none = details ? '- - ' : '';
  switch (entry.kind) {
    case 'folder':
      return `d ${none}${showPath(`${entry.path}/`)}`;
    case 'link': {
      // Gone since the walk: an entry without a target is better than none.
      const target = await targetOf(root, entry).catch(() => '?');
      return `l ${none}${showPath(entry.path, [' -> '])} -> ${showPath(target, [' -> '])}`;
    }
    case 'file':
      return details ? await detailedLine(root, entry, signal) : `f ${showPath(entry.path)}`;
  }
}

async function targetOf(root: string, entry: WalkEntry): Promise<string> {
  const names = [...entryNames(entry.path, entry.exact)];
  const name = names.pop() ?? '';
  return SteadyFolder.with(root, names, (folder) => readlink(folder.at(name)));
}

async function detailedLine(root: string, entry: WalkEntry, signal: AbortSignal): Promise<string> {
  const absolute = path.join(root, entry.path);
  const facts = await inspectFile({ root, relative: entry.path, absolute, exists: true }, signal);
  // Unreadable, or gone since the walk.
  if (facts === null) return `b - 0 ${showPath(entry.path)}`;
  const first = facts.kind === 'text' ? `f ${facts.lines}` : 'b -';
  return `${first} ${facts.bytes} ${showPath(entry.path)}`;
}
