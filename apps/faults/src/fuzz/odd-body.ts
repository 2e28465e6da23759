/** A valid body, changed: another type, a field less or more, one twice, nesting without end, bytes that are no text. */
import type { Random } from '../sweep/random.js';
import { ANYTHING } from './bodies.js';
import { ODD_KEYS, oddValue, takenValue, type RawJson } from './odd-values.js';

/** A JSON value that can be changed into what no JSON value is: fields may occur twice, and leaves are raw text. */
type Tree = RawJson | { readonly items: Tree[] } | { readonly fields: [key: RawJson, member: Tree][] };

/** Bytes that stand in no UTF-8: overlong forms, raw halves of surrogate pairs, stray and cut sequences. */
const BROKEN_BYTES: readonly (readonly number[])[] = [
  [0xc0, 0x80],
  [0xe0, 0x80, 0xaf],
  [0xed, 0xa0, 0xbd],
  [0xed, 0xb8, 0x80],
  [0xff],
  [0xfe, 0xff],
  [0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0x00],
];
const MOST_CHANGES = 3;

/** A body made from a valid one; null: none at all. */
export function oddBody(random: Random, example: object): Buffer | null {
  const text = random.weighted<() => string | null>([
    [20, () => print(treeOf(random, example))],
    [20, () => changed(random, example, false)],
    [1, () => changed(random, example, true)],
    [2, () => oddValue(random, random.chance(0.1))],
    [1, () => null],
    [1, () => ''],
  ])();
  if (text === null) return null;
  const body = Buffer.from(text);
  return random.weighted<() => Buffer>([
    [20, () => body],
    [1, () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])],
    [2, () => withBytes(random, body)],
    [1, () => body.subarray(0, random.between(0, body.length))],
    [1, () => Buffer.concat([body, body])],
    [1, () => Buffer.from(text, 'utf16le')],
  ])();
}

function changed(random: Random, example: object, big: boolean): string {
  const root = treeOf(random, example);
  const changes = big ? 1 : random.between(1, MOST_CHANGES);
  for (let at = 0; at < changes; at += 1) change(random, root, big);
  return print(root);
}

/** One change at a random place. */
function change(random: Random, root: Tree, big: boolean): void {
  const branches = branchesOf(root);
  if (branches.length === 0) return;
  const branch = random.pick(branches);
  const value = oddValue(random, big);
  if ('items' in branch) {
    const at = random.between(0, branch.items.length);
    branch.items.splice(at, random.between(0, 1), value);
    return;
  }
  const at = random.between(0, Math.max(0, branch.fields.length - 1));
  const field = branch.fields[at];
  random.weighted<() => void>([
    [8, () => field && (field[1] = value)],
    [2, () => void branch.fields.splice(at, 1)],
    [2, () => branch.fields.push([random.pick(ODD_KEYS), value])],
    [1, () => field && branch.fields.push([field[0], value])],
    [1, () => field && (field[0] = random.pick(ODD_KEYS))],
  ])();
}

function withBytes(random: Random, body: Buffer): Buffer {
  const at = random.between(0, body.length);
  return Buffer.concat([body.subarray(0, at), Buffer.from(random.pick(BROKEN_BYTES)), body.subarray(at)]);
}

function treeOf(random: Random, value: unknown): Tree {
  if (value === ANYTHING)
    return random.chance(0.7) ? takenValue(random) : oddValue(random, random.chance(0.03));
  if (Array.isArray(value)) return { items: value.map((item) => treeOf(random, item)) };
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return {
    fields: Object.entries(value).map(([key, member]) => [
      key === ANYTHING ? random.pick(ODD_KEYS) : JSON.stringify(key),
      treeOf(random, member),
    ]),
  };
}

function branchesOf(tree: Tree): Exclude<Tree, string>[] {
  if (typeof tree === 'string') return [];
  const members = 'items' in tree ? tree.items : tree.fields.map(([, member]) => member);
  return [tree, ...members.flatMap(branchesOf)];
}

function print(tree: Tree): string {
  if (typeof tree === 'string') return tree;
  if ('items' in tree) return `[${tree.items.map(print).join(',')}]`;
  return `{${tree.fields.map(([key, member]) => `${key}:${print(member)}`).join(',')}}`;
}
