/**
 * What a workspace hides from agents: the paths that its `.bullpenignore` names, in the syntax of .gitignore. They are neither
 * listed nor searched, read, written or copied. Names are compared without case and in one Unicode form, because some file
 * systems do. The file is read without waiting: it is small, and commands are judged without waiting, too.
 */
import path from 'node:path';
import { decidedBy, MAX_IGNORE_FILE_BYTES, parseIgnoreFile, type IgnoreRule } from './ignore-rules.js';
import { readPlainFile } from './plain-file.js';

/** In the workspace's own folder; files of that name further down have no meaning. */
export const HIDING_FILE = '.bullpenignore';

export class HiddenPaths {
  /** `rules` null: what is hidden cannot be known, so everything is. */
  private constructor(private readonly rules: readonly IgnoreRule[] | null) {}

  /** Those of a workspace as they are now. A file that cannot be read, is no file or is too large hides everything. */
  static of(root: string): HiddenPaths {
    try {
      const content = readPlainFile(path.join(root, HIDING_FILE), MAX_IGNORE_FILE_BYTES);
      return new HiddenPaths(content === null ? [] : parseIgnoreFile(folded(content.toString('utf8'))));
    } catch {
      // What it hides must not depend on who is able to read it.
      return new HiddenPaths(null);
    }
  }

  /** Whether the names from the root down lead to something hidden; a hidden folder hides all it holds. Never the root itself. */
  hides(names: readonly string[], isFolder: boolean): boolean {
    if (this.rules === null) return names.length > 0;
    if (this.rules.length === 0) return false;
    const compared = names.map(folded);
    for (let count = 1; count <= compared.length; count += 1) {
      const isLast = count === compared.length;
      if (decidedBy(this.rules, compared.slice(0, count), isLast ? isFolder : true) === true) return true;
    }
    return false;
  }
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
