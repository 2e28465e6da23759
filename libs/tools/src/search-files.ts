/** search_files: lines of the workspace's files that match a regular expression, in pages. Other code parses the format. */
import { nounFor, plural } from '@bullpen/contracts';
import { z } from 'zod';
import {
  defineTool,
  failure,
  isSecretFile,
  success,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '@bullpen/core';
import {
  compileGlob,
  expandBraces,
  globMatches,
  patternProblem,
  resolveForReading,
  type InsidePath,
} from '@bullpen/workspace';
import { entriesAt } from './entries.js';
import { withNearNames } from './near-names.js';
import { continueLine, fitOnPage, showing, showPath } from './pages.js';
import { MAX_MATCHES, searchFiles, type Found } from './search-matches.js';
import { textOfMatch } from './search-text.js';
import { pathInspection } from './touched-paths.js';

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(10_000)
    .describe('Regular expression in Rust syntax, matched within one line.'),
  path: z.string().default('.').describe('Folder or file, relative to the workspace folder.'),
  glob: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      'Search only files that match, such as "*.ts" or "src/**/*.{js,ts}"; "!" at the start excludes.',
    ),
  caseSensitive: z.boolean().default(true),
  context: z.int().min(0).max(5).default(0).describe('Lines to show before and after each match.'),
  offset: z.int().min(0).max(MAX_MATCHES).default(0).describe('Matching lines to skip.'),
  limit: z.int().min(1).max(1_000).default(100).describe('Matching lines to show.'),
});
type Input = z.output<typeof input>;

export function searchFilesTool(): Tool {
  return defineTool({
    name: 'search_files',
    description:
      'Searches text files of the workspace for a regular expression (Rust syntax: no look-around, no back-references; put a backslash before characters like ( [ . to find them as they are); ignored files (.gitignore), .git, binary ' +
      'files and files that hold secrets are left out. Each matching line is shown as "<path>:<line>:<column>: <text>", long lines cut around the match; context ' +
      'lines as "<path>-<line>- <text>". Results are sorted by path and come in pages; continue with offset. Counts up to 10,000 matches.',
    group: 'read',
    resume: 'repeat',
    input,
    inspect: pathInspection('read'),
    run: search,
  });
}

async function search(args: Input, context: ToolContext, signal: AbortSignal): Promise<ToolOutcome> {
  const resolved = await resolveForReading(context.workspacePath, args.path);
  if (!resolved.ok) return failure(await withNearNames(context.workspacePath, args.path, resolved));
  const problem = await patternProblem(args.pattern, signal);
  if (problem !== null)
    return failure(
      `${problem}\nThe pattern is a Rust regular expression; quote special characters with a backslash.`,
    );
  const files = await filesToSearch(resolved.place, args.glob, signal);
  if (files === null)
    return failure(`${showPath(args.path)} can't be read: permission denied, or it was just removed.`);
  return answer(await searchFiles(resolved.place.root, files, args, signal), args);
}

/** Paths relative to the workspace, as the glob is: `src/*.ts` means the same wherever the search starts. */
async function filesToSearch(
  place: InsidePath,
  glob: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const entries = await entriesAt(place, Infinity, signal);
  // Reading a secret needs a person, who is asked for it by its name; a search over a folder must not be a way around.
  const files = entries
    ?.filter(({ kind, path }) => kind === 'file' && (path === place.relative || !isSecretFile(path)))
    .map(({ path }) => path);
  if (!files || glob === undefined) return files ?? null;
  const excludes = glob.startsWith('!');
  const globs = expandBraces(excludes ? glob.slice(1) : glob, 1_000).map((one) =>
    compileGlob(one.replace(/^\.\//, '/')),
  );
  return files.filter((file) => {
    const names = file.split('/');
    return globs.some((one) => globMatches(one, names)) !== excludes;
  });
}

function answer(found: Found, args: Input): ToolOutcome {
  const notes = found.unreadable > 0 ? [`… ${plural(found.unreadable, 'file')} could not be read`] : [];
  if (found.total === 0) return success(['0 matches', ...notes].join('\n'));
  if (args.offset >= found.total)
    return failure(
      `There ${nounFor(found.total, 'is', 'are')} only ${plural(found.total, 'match', 'matches')}; use an offset below ${found.total}.`,
    );
  const texts = found.page.map((match, index) => textOfMatch(match, found.page[index - 1], args.context));
  const count = fitOnPage(texts, args.limit);
  if (found.stopped)
    notes.push(`… stopped counting at ${MAX_MATCHES} matches; narrow the pattern, path or glob`);
  const head = `${plural(found.total, 'match', 'matches')} in ${plural(found.files, 'file')} (${showing(args.offset, count)})`;
  return success(
    [
      head,
      ...texts.slice(0, count),
      ...notes,
      ...continueLine(['match', 'matches'], found.total, args.offset + count),
    ].join('\n'),
  );
}
