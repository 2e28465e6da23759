/** Names in the workspace that mean something to git, to editors or to ourselves: the tools do not write them by the back door. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { input, type Attack } from '../attack.js';
import { broken, escaped, type Finding } from '../finding.js';
import type { Arena } from '../arena.js';

/** Spellings of what no tool may write. */
const GUARDED = [
  '.git/hooks/pre-commit',
  '.git/config',
  '.git/info/attributes',
  '.GIT/config',
  '.Git/hooks/post-checkout',
  '.git./config',
  '.git /config',
  './.git/../.git/config',
  'sub/.git/config',
  'sub/../.git/HEAD',
  '.bullpen/left-out.json',
  '.BULLPEN/left-out.json',
  '.bullpen-tmp-0000',
];

const guarded = GUARDED.map((path, at) =>
  input(`guarded-name-${at + 1}`, `write_file to ${path}`, async (arena) => {
    arena.files({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/config': '[core]\n', 'sub/a.txt': 'a\n' });
    const content = '#!/bin/sh\ntouch /tmp/bullpen-escaped\n';
    const { isError, output } = await arena.tools.call(arena.workspace, 'write_file', { path, content });
    return isError ? [] : [escaped(`it was written: ${output}`)];
  }),
);

/** The name of our own half-written file can be computed: whatever waits there is not followed. */
async function ownTemporaryFile(arena: Arena): Promise<readonly Finding[]> {
  const victim = join(arena.folder, 'person/.npmrc');
  for (let call = 1; call <= 2_000; call += 1) {
    const id = createHash('sha256').update(`call_${call}`).digest('hex').slice(0, 16);
    symlinkSync(victim, join(arena.workspace, `.bullpen-tmp-${id}`));
  }
  arena.giveAll(arena.workspace);
  const args = { path: 'a.txt', content: 'new\n' };
  const { isError, output } = await arena.tools.call(arena.workspace, 'write_file', args);
  const isWritten = readFileSync(join(arena.workspace, 'a.txt'), 'utf8') === 'new\n';
  return isError || !isWritten ? [broken(`a planted temporary file keeps one from writing: ${output}`)] : [];
}

async function ownTemporaryFolder(arena: Arena): Promise<readonly Finding[]> {
  for (let call = 1; call <= 2_000; call += 1) {
    const id = createHash('sha256').update(`call_${call}`).digest('hex').slice(0, 16);
    mkdirSync(join(arena.workspace, `.bullpen-tmp-${id}`));
  }
  arena.giveAll(arena.workspace);
  await arena.tools.call(arena.workspace, 'write_file', { path: 'a.txt', content: 'new\n' });
  return [];
}

/** What `.bullpenignore` names is kept from the tools under every name that leads there. */
async function hiddenByOtherNames(arena: Arena): Promise<readonly Finding[]> {
  arena.files({ '.bullpenignore': 'private/\n*.key\n', 'a.txt': 'a\n' });
  arena.canaries.plant(join(arena.workspace, 'private/notes.txt'), 'a hidden file');
  arena.canaries.plant(join(arena.workspace, 'sub/server.key'), 'a hidden key');
  symlinkSync('private', join(arena.workspace, 'open'));
  symlinkSync('../sub/server.key', join(arena.workspace, 'sub/plain.txt'));
  symlinkSync('.', join(arena.workspace, 'here'));
  arena.giveAll(arena.workspace);
  const ways = [
    'private/notes.txt',
    'PRIVATE/NOTES.TXT',
    'private/./notes.txt',
    'open/notes.txt',
    'sub/server.key',
  ];
  const more = [
    'sub/SERVER.KEY',
    'sub/plain.txt',
    'here/private/notes.txt',
    'here/here/open/notes.txt',
    '.',
    'sub',
  ];
  const said: string[] = [];
  for (const path of [...ways, ...more]) {
    for (const tool of ['read_file', 'list_files'])
      said.push((await arena.tools.call(arena.workspace, tool, { path })).output);
    said.push((await arena.tools.call(arena.workspace, 'search_files', { path, pattern: 'canary' })).output);
  }
  return arena.canaries.seenIn(said.join('\n'));
}

/** A `.bullpenignore` that is no file hides all rather than nothing. */
function oddIgnoreFile(name: string, make: (path: string) => void): Attack {
  return input(`hiding-file-${name}`, `.bullpenignore is ${name.replaceAll('-', ' ')}`, async (arena) => {
    arena.canaries.plant(join(arena.workspace, 'private.txt'), 'a file that may be hidden');
    make(join(arena.workspace, '.bullpenignore'));
    arena.giveAll(arena.workspace);
    const output = await arena.tools.all(arena.workspace, 'private.txt');
    const isThere = existsSync(join(arena.workspace, 'private.txt'));
    return [...arena.canaries.seenIn(output), ...(isThere ? [] : [escaped('a hidden file is gone')])];
  });
}

/** The model changed what it had not seen: somebody else's work would be lost. */
async function changedSinceRead(arena: Arena): Promise<readonly Finding[]> {
  arena.files({ 'a.txt': 'one\ntwo\n' });
  await arena.tools.call(arena.workspace, 'read_file', { path: 'a.txt' });
  arena.files({ 'a.txt': 'one\ntwo\nthree, by a person\n' });
  const written = await arena.tools.call(arena.workspace, 'write_file', { path: 'a.txt', content: 'mine\n' });
  const edit = { path: 'a.txt', oldText: 'two', newText: 'mine' };
  const edited = await arena.tools.call(arena.workspace, 'edit_file', edit);
  return written.isError && edited.isError ? [] : [broken('a file that had changed was written over')];
}

export const ownNames: readonly Attack[] = [
  ...guarded,
  input('own-temporary-link', 'links wait where we write our temporary file', ownTemporaryFile),
  input('own-temporary-folder', 'folders wait where we write our temporary file', ownTemporaryFolder),
  input('hidden-by-other-names', 'hidden files by links, case and detours', hiddenByOtherNames),
  oddIgnoreFile('a-link-outside', (path) => symlinkSync('/etc/hostname', path)),
  oddIgnoreFile('a-dangling-link', (path) => symlinkSync('/nowhere/at/all', path)),
  oddIgnoreFile('a-folder', (path) => mkdirSync(path)),
  input('changed-since-read', 'a file changes between the read and the write', changedSinceRead),
];
