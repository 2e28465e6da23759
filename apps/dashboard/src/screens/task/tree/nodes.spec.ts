/** Tasks of a tree as nodes within each other. */
import { describe, expect, it } from '@jest/globals';
import type { TreeTask } from '../task-context.js';
import { onlyFailed, rootsOf, type TreeNode } from './nodes.js';

const task = (id: string, path: string[], state = 'completed') =>
  ({ id, path, parentId: path.at(-2) ?? null, state }) as TreeTask;
const shape = (nodes: readonly TreeNode[]): unknown => nodes.map(({ id, children }) => [id, shape(children)]);

describe('the nodes of a tree', () => {
  it('lie within each other, however deep', () => {
    const chain = Array.from({ length: 40 }, (_, depth) =>
      task(
        `t${depth}`,
        Array.from({ length: depth + 1 }, (_, above) => `t${above}`),
      ),
    );
    let [node] = rootsOf(chain);
    let depth = 0;
    for (; node !== undefined; node = node.children[0]) depth += 1;
    expect(depth).toBe(40);
  });

  it('are what failed and all above it, when one wants only that', () => {
    const tasks = [
      task('root', ['root']),
      task('a', ['root', 'a']),
      task('b', ['root', 'b']),
      task('c', ['root', 'b', 'c'], 'failed'),
    ];
    expect(shape(rootsOf(onlyFailed(tasks)))).toEqual([['root', [['b', [['c', []]]]]]]);
  });
});
