/** edit_file: exact replacement in a file. */
import { z } from 'zod';
import { defineTool, failure, success, type Tool, type ToolContext, type ToolOutcome } from '@bullpen/core';
import { resolveForReading, resolveForWriting, writeFileInside, type InsidePath } from '@bullpen/workspace';
import { applyEdit, type Edit, type EditResult } from './edit-text.js';
import { fingerprintOf, loadFile, textOf } from './file-content.js';
import { fileDiff } from './file-diff.js';
import type { FileTracker } from './file-tracker.js';
import { withNearNames } from './near-names.js';
import { showPath } from './pages.js';
import { pathInspection } from './touched-paths.js';
import { writeIdOf } from './write-id.js';

const input = z
  .strictObject({
    path: z.string().describe('File, relative to the workspace folder.'),
    oldText: z
      .string()
      .min(1)
      .max(1_000_000)
      .describe('Text to replace, exactly as in the file, without line numbers.'),
    newText: z.string().max(1_000_000).describe('Text to put in its place.'),
    replaceAll: z.boolean().default(false).describe('Replace every occurrence.'),
  })
  .refine(({ oldText, newText }) => oldText !== newText, {
    path: ['newText'],
    message: 'is the same as oldText; give the changed text',
  });
type Input = z.output<typeof input>;

export function editFileTool(deps: { readonly tracker: FileTracker }): Tool {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces text in a file of the workspace. oldText must match exactly, including spaces and indentation, and occur only once; ' +
      'include more lines around it to make it unique, or set replaceAll. You need not have read the file as long as the text is exact. When it succeeds, the edit is there: do not read the file again to see. Refused if the file has changed on disk since you read it.',
    group: 'write',
    resume: 'repeat',
    input,
    inspect: pathInspection('write'),
    preview,
    run: async (args, context) => {
      const exists = await resolveForReading(context.workspacePath, args.path);
      if (!exists.ok) return failure(await withNearNames(context.workspacePath, args.path, exists));
      const resolved = await resolveForWriting(context.workspacePath, args.path);
      if (!resolved.ok) return failure(`${resolved.reason}.`);
      const { place } = resolved;
      return deps.tracker.exclusively(place.absolute, () => edit(place, args, deps.tracker, context));
    },
  });
}

/** The edit in the file as it is now. When it does not fit there is no preview: running the call says why. */
async function preview(args: Input, { workspacePath }: ToolContext): Promise<string | undefined> {
  const resolved = await resolveForWriting(workspacePath, args.path);
  const loaded = resolved.ok ? await loadFile(resolved.place) : null;
  const text = loaded?.ok ? textOf(loaded.content.bytes) : null;
  if (!resolved.ok || text === null) return undefined;
  const result = applyEdit(text, inLineEndsOf(text, args), false);
  return result.kind === 'edited' ? fileDiff(resolved.place.relative, text, result.text) : undefined;
}

async function edit(
  place: InsidePath,
  args: Input,
  tracker: FileTracker,
  context: ToolContext,
): Promise<ToolOutcome> {
  const name = showPath(place.relative);
  const loaded = await loadFile(place);
  if (!loaded.ok) return failure(`${loaded.reason}.`);
  const { bytes, fingerprint } = loaded.content;
  const text = textOf(bytes);
  if (text === null)
    return failure(`${name} is not UTF-8 text, so edit_file can't change it; a command could.`);
  const seen = tracker.seen(context.task.id, place.absolute);
  if (seen && seen.fingerprint !== fingerprint) {
    return failure(
      `${name} has changed on disk since you last read it; read it again with read_file, then edit it.`,
    );
  }
  // The same call again, in the same worker: its first run wrote this very content.
  if (seen?.writtenBy === context.callId)
    return success(`Already applied: ${name} contains the result of this edit.`);
  // When nothing is known about the file, the call may repeat one that a crash cut off after its write.
  const result = applyEdit(text, inLineEndsOf(text, args), seen === undefined);
  if (result.kind !== 'edited') return describe(name, result);
  const written = await writeFileInside(place, result.text, writeIdOf(context.callId));
  if (!written.ok) return failure(`${written.reason}.`);
  tracker.edited(context.task.id, place.absolute, fingerprintOf(result.text), context.callId);
  const places =
    result.count === 1
      ? `at line ${result.line}`
      : `at ${result.count} places, the first at line ${result.line}`;
  return success(`Edited ${name} ${places}.`);
}

/** read_file shows CR LF as a plain line end, so the edit is meant in the file's own line ends. */
function inLineEndsOf(text: string, args: Input): Edit {
  const hasOnlyCrLf = text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
  if (!hasOnlyCrLf || args.oldText.includes('\r')) return args;
  const toCrLf = (part: string): string => part.replace(/\r?\n/g, '\r\n');
  return { ...args, oldText: toCrLf(args.oldText), newText: toCrLf(args.newText) };
}

function describe(name: string, result: Exclude<EditResult, { kind: 'edited' }>): ToolOutcome {
  switch (result.kind) {
    case 'applied':
      return success(`Already applied: ${name} has newText at line ${result.line}; nothing was changed.`);
    case 'not_unique':
      return failure(
        `oldText occurs ${result.count} times in ${name} (lines ${result.lines.join(', ')}${result.count > result.lines.length ? ', …' : ''}). ` +
          'Add lines around it to make it unique, or set replaceAll.',
      );
    case 'not_found': {
      if (!result.nearest)
        return failure(
          `Neither oldText nor anything like it is in ${name}; read the file again with read_file.`,
        );
      const why = result.nearest.onlyBlanks ? 'Only spaces or line endings differ' : 'The closest text';
      return failure(
        `oldText is not in ${name}. ${why}, at line ${result.nearest.line}:\n${result.nearest.text}\nUse the text exactly as it is in the file.`,
      );
    }
  }
}
