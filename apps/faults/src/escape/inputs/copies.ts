/** Folders that become workspaces, and workspaces that go: neither way may lead out. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareHome, WorkspaceManager, WorkspaceRemoval } from '@bullpen/workspace';
import { input, type Attack } from '../attack.js';
import { broken, escaped, type Finding } from '../finding.js';
import type { Arena } from '../arena.js';

const COPY_ID = 'task_copy';

/** Copies the present workspace, as when a task begins with a folder; gives all that the copy holds. */
async function copyOf(arena: Arena): Promise<string> {
  const { workspaces, options, workspace } = arena;
  const manager = new WorkspaceManager({ root: workspaces, allowPaths: 'any', commandUser: options.user });
  const spec = { kind: 'path', path: workspace, copy: true } as const;
  const copy = join(workspaces, COPY_ID);
  try {
    const { path } = await manager.prepare(COPY_ID, spec, AbortSignal.timeout(20_000));
    return contentOf(path);
  } catch (error) {
    return String(error);
  } finally {
    execFileSync('rm', ['-rf', copy]);
  }
}

/** Names and bytes of everything below, links as links. */
export function contentOf(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return contentOf(path);
      return entry.isFile() ? `${entry.name}\n${readFileSync(path, 'latin1')}` : entry.name;
    })
    .join('\n');
}

function copying(
  name: string,
  what: string,
  plant: (arena: Arena, at: (name: string) => string) => void,
): Attack {
  return input(`copy-${name}`, `a folder with ${what} is copied`, async (arena) => {
    arena.files({ 'a.txt': 'a\n' });
    plant(arena, (part) => join(arena.workspace, part));
    arena.giveAll(arena.workspace);
    return arena.canaries.seenIn(await copyOf(arena));
  });
}

/** The copy holds links as links: what the tools then meet in it is as harmless. */
const linksInCopy = input('copy-then-tools', 'the tools work in a copy with links', async (arena) => {
  symlinkSync(arena.neighbour, join(arena.workspace, 'out'));
  symlinkSync(join(arena.home, 'key'), join(arena.workspace, 'key'));
  arena.giveAll(arena.workspace);
  const { options, workspaces } = arena;
  const manager = new WorkspaceManager({ root: workspaces, allowPaths: 'any', commandUser: options.user });
  const spec = { kind: 'path', path: arena.workspace, copy: true } as const;
  const { path } = await manager.prepare(COPY_ID, spec, AbortSignal.timeout(20_000));
  const said = [await arena.tools.all(path, 'out/secret.txt'), await arena.tools.all(path, 'key')];
  execFileSync('rm', ['-rf', path]);
  return arena.canaries.seenIn(said.join('\n'));
});

/** Ids come from the database; one that is a path makes no folder elsewhere. */
async function oddIds(arena: Arena): Promise<readonly Finding[]> {
  const { workspaces, options, folder } = arena;
  const manager = new WorkspaceManager({ root: workspaces, allowPaths: 'any', commandUser: options.user });
  const found: Finding[] = [];
  for (const id of ['../escaped', '..', '.', 'a/b', 'a\0b', '', '/etc', '../../person'])
    await manager.prepare(id, { kind: 'empty' }, AbortSignal.timeout(5_000)).then(
      ({ path }) => void found.push(escaped(`the id ${id} made ${path}`)),
      () => undefined,
    );
  return existsSync(join(folder, 'bullpen/escaped'))
    ? [...found, escaped('a folder was made outside')]
    : found;
}

/** A workspace that is removed takes nothing along that its links lead to. */
async function removal(arena: Arena): Promise<readonly Finding[]> {
  const { workspaces, home, folder } = arena;
  const id = 'task_ended';
  const workspace = join(workspaces, id);
  const homesRoot = join(home, 'homes');
  arena.folderOfUser(workspace);
  const commandHome = await prepareHome(homesRoot, workspace, arena.options.user);
  for (const place of [workspace, commandHome]) {
    symlinkSync(join(folder, 'person'), join(place, 'node_modules'));
    symlinkSync(arena.neighbour, join(place, 'neighbour'));
    symlinkSync('/', join(place, 'root'));
    mkdirSync(join(place, 'closed'));
    writeFileSync(join(place, 'closed/f'), 'x');
    arena.giveAll(place);
    execFileSync('chmod', ['0', join(place, 'closed')]);
  }
  const problems: unknown[] = [];
  const onProblem = (_: string, error: unknown): void => void problems.push(error);
  const outputsRoot = `${homesRoot}-outputs`;
  const remover = new WorkspaceRemoval({
    ...{ root: workspaces, homesRoot, outputsRoot, onProblem },
    shadowsRoot: `${homesRoot}-shadows`,
    workspacesOf: () => Promise.resolve([]),
  });
  await remover.before(id);
  await remover.after(id, true);
  await remover.after('../../person', true);
  const left = [workspace, commandHome].filter((place) => existsSync(place));
  for (const place of left) execFileSync('sh', ['-c', 'chmod -R u+rwx "$0"; rm -rf "$0"', place]);
  return left.map((place) => broken(`${place} is still there: ${String(problems[0])}`));
}

export const copies: readonly Attack[] = [
  copying('link-to-file', 'a link to a key', ({ home }, at) => symlinkSync(join(home, 'key'), at('k'))),
  copying('link-to-folder', 'a link to a neighbour', ({ neighbour }, at) => symlinkSync(neighbour, at('n'))),
  copying('link-to-process', 'a link to the environment', (_, at) =>
    symlinkSync('/proc/self/environ', at('e')),
  ),
  copying('link-to-root', 'a link to everything', (_, at) => symlinkSync('/', at('everything'))),
  copying('git-link', 'a .git that leads outside', ({ neighbour }, at) => symlinkSync(neighbour, at('.git'))),
  copying('hidden', 'a file that is hidden', ({ canaries }, at) => {
    writeFileSync(at('.bullpenignore'), 'private\n');
    canaries.plant(at('private/x.txt'), 'a hidden file of a source');
  }),
  copying('pipe', 'a pipe', (_, at) => void execFileSync('mkfifo', [at('p')])),
  copying('ignore-link', 'a .gitignore that leads outside', ({ home }, at) =>
    symlinkSync(join(home, 'key'), at('.gitignore')),
  ),
  copying('endless', 'a link to a device without end', (_, at) => symlinkSync('/dev/zero', at('z'))),
  linksInCopy,
  input('workspace-ids', 'ids of tasks that are paths', oddIds),
  input('removal', 'a workspace full of links is removed', removal),
];
