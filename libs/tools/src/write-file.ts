/** write_file: a whole file, either new or replacing one that the task knows. */
import { plural } from '@bullpen/contracts';
import { z } from 'zod';
import { defineTool, failure, success, type Tool, type ToolContext, type ToolOutcome } from '@bullpen/core';
import { resolveForWriting, writeFileInside, type InsidePath } from '@bullpen/workspace';
import { countLines, fingerprintOf, loadFile, textOf } from './file-content.js';
import { fileDiff } from './file-diff.js';
import type { FileTracker } from './file-tracker.js';
import { showPath } from './pages.js';
import type { Place } from './text-page.js';
import { pathInspection } from './touched-paths.js';
import { writeIdOf } from './write-id.js';

const input = z.strictObject({
  path: z.string().describe('File, relative to the workspace folder. Missing folders are created.'),
  content: z.string().max(4_000_000).describe('The whole new content.'),
});

export function writeFileTool(deps: { readonly tracker: FileTracker }): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a whole file of the workspace: creates it, or replaces one that you have read to its end and that has not changed ' +
      'since. Not for changing part of a longer file.',
    group: 'write',
    resume: 'repeat',
    input,
    inspect: pathInspection('write'),
    preview,
    run: async (args, context) => {
      const resolved = await resolveForWriting(context.workspacePath, args.path);
      if (!resolved.ok) return failure(`${resolved.reason}.`);
      const { place } = resolved;
      return deps.tracker.exclusively(place.absolute, () =>
        write(place, args.content, deps.tracker, context),
      );
    },
  });
}

/** The present text beside the new one; bytes that are no text have no lines to compare. */
async function preview(
  { path, content }: z.output<typeof input>,
  { workspacePath }: ToolContext,
): Promise<string | undefined> {
  const resolved = await resolveForWriting(workspacePath, path);
  if (!resolved.ok) return undefined;
  const present = await loadFile(resolved.place);
  if (!present.ok && present.code !== 'not_found') return undefined;
  const before = present.ok ? textOf(present.content.bytes) : null;
  return present.ok && before === null ? undefined : fileDiff(resolved.place.relative, before, content);
}

async function write(
  place: InsidePath,
  content: string,
  tracker: FileTracker,
  context: ToolContext,
): Promise<ToolOutcome> {
  const name = showPath(place.relative);
  const fingerprint = fingerprintOf(content);
  const size = `${plural(countLines(content), 'line')}, ${plural(Buffer.byteLength(content), 'byte')}`;
  const isKnown = () => tracker.wrote(context.task.id, place.absolute, fingerprint, context.callId);
  const present = await loadFile(place);
  if (present.ok) {
    if (present.content.fingerprint === fingerprint) {
      // Also what a repetition after a crash finds: its own work.
      isKnown();
      return success(`${name} already has exactly this content (${size}).`);
    }
    const before = tracker.seen(context.task.id, place.absolute);
    if (!before)
      return failure(`${name} exists and you have not read it; read it with read_file first, then write it.`);
    if (before.fingerprint !== present.content.fingerprint) {
      return failure(
        `${name} has changed on disk since you last read it; read it again with read_file, then write it.`,
      );
    }
    if (before.unseen !== null) return failure(unseenPart(name, before.unseen));
  } else if (present.code !== 'not_found') return failure(`${present.reason}.`);
  const written = await writeFileInside(place, content, writeIdOf(context.callId));
  if (!written.ok) return failure(`${written.reason}.`);
  isKnown();
  return success(`${written.created ? 'Created' : 'Overwrote'} ${name} (${size}).`);
}

/** A part was never looked at, and would be lost. */
function unseenPart(name: string, { line, column }: Place): string {
  const from = column === 1 ? `offset ${line}` : `offset ${line} and column ${column}`;
  return (
    `You have not read all of ${name}, so you would overwrite content that you have not seen; nothing was written. ` +
    `Read on with read_file from ${from} to the end, then write it; or change only the part that you have read.`
  );
}
