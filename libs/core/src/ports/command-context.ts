/** Port: what judging a command line needs to know of files and programs. Every function answers for any string and never throws. */
import type { PathPlace } from './tool.js';

/** A name in a folder. `place` is where it leads: for a link, what the link points to. */
export interface FileEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly place: PathPlace;
}

/** What there is at a path: a folder's entries, something that is no folder, nothing, or nobody can see. */
export type FolderView = readonly FileEntry[] | 'file' | 'missing' | 'unknown';

/** What a program's name leads to. `system`: a program outside of everything that an agent writes; `project`: one that an agent may write. */
export type ProgramPlace = 'system' | 'missing' | 'project';

/** Facts about files that a policy cannot know by itself. They hold for the moment in which they are asked for. */
export interface CommandContext {
  /** The workspace's folder, absolute. */
  readonly root: string;
  /** The folder in which the line starts, absolute. */
  readonly cwd: string;
  /** Whether the facts are those of real files. If not, paths are judged by their text alone. */
  readonly seesFiles: boolean;
  /**
   * Whether the kernel holds the command: of what it could change only the workspace is there, without protected files; secrets and
   * what is hidden are not there; and no network but `openedHosts`.
   */
  readonly boxed: boolean;
  /** The hosts that a boxed command reaches; empty where nothing is opened, and where there is no box. */
  readonly openedHosts: readonly string[];
  /**
   * Where an absolute path leads when it is opened. It may hold `..`, and links are not followed yet: resolve it as the
   * system would, part by part, and do not tidy it before (`link/../x` is not `x`).
   */
  readonly placeOf: (path: string) => PathPlace;
  /** What there is at an absolute path, links followed. A folder that is not inside the workspace is `unknown`. */
  readonly look: (path: string) => FolderView;
  /** What bash would run for a word in this folder: the first of that very name along the command's PATH, or the path itself. */
  readonly programAt: (word: string, folder: string) => ProgramPlace;
  /** Paths from the workspace down of which git keeps contents, `**` in front where the folder is not known; null: nobody can tell. */
  readonly gitPaths: () => readonly string[] | null;
  /** Whether neither the settings of the workspace's own repository nor its hooks make git run a program. */
  readonly gitRunsNothing: () => boolean;
  /** Whether a file that by its name may hold credentials was looked into and holds none. */
  readonly holdsNoCredentials: (path: string) => boolean;
}
