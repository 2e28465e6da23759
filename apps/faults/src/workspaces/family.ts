/**
 * A parent and its isolated children: each child edits a file of its own, two edit the same line of another one, and the parent goes on meanwhile. What
 * has to come of it is written down by plain writes into a folder beside, in which the product has no part.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  conflictsOf,
  mergeInto,
  putBeside,
  ShadowRepository,
  type Checkpoints,
  type Conflict,
} from '@bullpen/checkpoints';
import type { Tree } from './tree.js';

export const FAMILY = 'family';
const CHILDREN = ['a', 'b', 'c', 'd', 'e'] as const;
const RIVALS = 2;
const LINES = 20;
const SHARED = `${FAMILY}/shared`;

export interface FamilyPlace {
  /** The parent's workspace. */
  readonly tree: Tree;
  readonly shadow: string;
  /** Where the children's workspaces are to be. */
  readonly home: string;
  checkpoints(workspace: string): Checkpoints;
  take(workspace: string, parent: string): Promise<string>;
}

export interface Merged {
  /** Children whose changes were brought. */
  readonly merges: number;
  readonly conflicts: number;
  /** A folder with the files of the family as they have to be. */
  readonly expected: string;
}

/** To be called before the checkpoint that the children begin with. */
export function prepareFamily(tree: Tree): void {
  for (const name of [...CHILDREN.map(fileOf), SHARED]) tree.write(name, numbered({}));
}

/** @param base the checkpoint of the parent that the children begin with. */
export async function playFamily(place: FamilyPlace, base: string, signal: AbortSignal): Promise<Merged> {
  const { tree, home } = place;
  const children = [...CHILDREN].sort(() => tree.chance(3) - 1);
  const line = tree.chance(LINES);
  const expected = path.join(home, 'expected');
  mkdirSync(path.join(expected, FAMILY), { recursive: true });
  const [winner = 'a', loser = 'b'] = children;
  const parents = { [(line + LINES / 2) % LINES]: 'by the parent, since' };
  writeLines(expected, SHARED, { [line]: `by ${winner}` });
  writeLines(expected, `${SHARED}.${besideOf(loser)}`, { [line]: `by ${loser}` });
  for (const child of children)
    writeLines(expected, fileOf(child), { [line]: `by ${child}`, ...(child === loser && parents) });
  const results = new Map<string, string>();
  for (const [at, child] of children.entries()) {
    const workspace = path.join(home, `child-${child}`);
    await place.checkpoints(workspace).rebuild(base, workspace, signal);
    edit(workspace, fileOf(child), { [line]: `by ${child}` });
    if (at < RIVALS) edit(workspace, SHARED, { [line]: `by ${child}` });
    results.set(child, await place.take(workspace, base));
  }
  edit(tree.folder, fileOf(loser), parents);
  let conflicts = 0;
  for (const [child, theirs] of results)
    conflicts += (await bring(place, { base, theirs }, besideOf(child), signal)).length;
  return { merges: results.size, conflicts, expected };
}

async function bring(
  { tree, shadow, checkpoints }: FamilyPlace,
  incoming: { readonly base: string; readonly theirs: string },
  beside: string,
  signal: AbortSignal,
): Promise<readonly Conflict[]> {
  for (const commit of Object.values(incoming)) await checkpoints(tree.folder).bring(commit, signal);
  const target = { root: tree.folder, owner: null };
  return ShadowRepository.alone({ folder: shadow }, signal, async (opened) => {
    const found = conflictsOf(await mergeInto(opened, incoming, target, signal));
    await putBeside(opened, found, beside, target, signal);
    return found;
  });
}

type Edits = Readonly<Record<number, string>>;

function fileOf(child: string): string {
  return `${FAMILY}/${child}`;
}

function besideOf(child: string): string {
  return `theirs-${child}`;
}

function numbered(edits: Edits): string {
  return Array.from({ length: LINES }, (_, at) => `${edits[at] ?? `line ${at}`}\n`).join('');
}

function writeLines(folder: string, name: string, edits: Edits): void {
  writeFileSync(path.join(folder, name), numbered(edits));
}

function edit(folder: string, name: string, edits: Edits): void {
  const lines = readFileSync(path.join(folder, name), 'utf8').split('\n');
  for (const [at, text] of Object.entries(edits)) lines[Number(at)] = text;
  writeFileSync(path.join(folder, name), lines.join('\n'));
}
