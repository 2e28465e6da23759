/** Which settings of a repository can't make git run anything or look elsewhere. */

/** Sections with their harmless settings. What is missing here may name a program, a file, or another place to look. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  core: [
    ...['repositoryformatversion', 'filemode', 'bare', 'logallrefupdates', 'ignorecase'],
    ...['worktree', 'precomposeunicode', 'symlinks', 'autocrlf', 'eol', 'safecrlf', 'quotepath', 'abbrev'],
  ],
  extensions: ['objectformat', 'refstorage', 'compatobjectformat'],
  user: ['name', 'email'],
  init: ['defaultbranch'],
  pull: ['rebase', 'ff'],
  push: ['default', 'autosetupremote'],
  remote: ['url', 'fetch', 'tagopt', 'pushurl'],
  branch: ['remote', 'merge', 'rebase'],
  submodule: ['url', 'active'],
  color: ['ui'],
  commit: ['verbose'],
  rerere: ['enabled'],
};

/**
 * Read as strictly as can be: what is not understood is not harmless. `isTreeInside` says whether files that git would check out there
 * stay in the workspace.
 */
export function isHarmlessGitConfig(text: string, isTreeInside: (tree: string) => boolean): boolean {
  let known: readonly string[] = [];
  return text.split('\n').every((line) => {
    const section = /^\s*\[\s*([A-Za-z0-9-]+)(?:\s+"(?:[^"\\\n]|\\["\\])*")?\s*\]\s*$/.exec(line)?.[1];
    if (section !== undefined) {
      known = HARMLESS[section.toLowerCase()] ?? [];
      return section.toLowerCase() in HARMLESS;
    }
    if (/^\s*([#;].*)?$/.test(line)) return true;
    const setting = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/.exec(line);
    if (setting === null || (setting[2] ?? '').trimEnd().endsWith('\\')) return false;
    if (setting[1]?.toLowerCase() === 'worktree' && !isTreeInside((setting[2] ?? '').trim())) return false;
    // A transport of another kind than these can be a program.
    const isUrl = /url$/i.test(setting[1] ?? '');
    return known.includes((setting[1] ?? '').toLowerCase()) && !(isUrl && /::/.test(setting[2] ?? ''));
  });
}
