import { describe, expect, it } from '@jest/globals';
import type { ContentBlock, Json } from '@bullpen/contracts';
import { loopProblem } from './loop-detection.js';

/** A history of answered calls, given as `tool:result`. */
function history(...calls: readonly string[]): { content: ContentBlock[] }[] {
  return calls.flatMap((text, at) => {
    const colon = text.indexOf(':');
    const [name, result] = [text.slice(0, colon), text.slice(colon + 1)];
    return [
      { content: [{ type: 'tool_use' as const, id: `t${at}`, name, input: {} }] },
      { content: [{ type: 'tool_result' as const, tool_use_id: `t${at}`, content: result }] },
    ];
  });
}
const problem = (calls: readonly string[], next: string, args: Json = {}) =>
  loopProblem(history(...calls), next, args);

describe('loop detection', () => {
  it.each([
    ['the same call a third time', ['a:x', 'a:x'], 'a'],
    ['a cycle of two', ['a:x', 'b:y', 'a:x', 'b:y', 'a:x'], 'b'],
    ['a cycle of three', ['a:x', 'b:y', 'c:z', 'a:x', 'b:y', 'c:z', 'a:x', 'b:y'], 'c'],
    [
      'a call that was refused as a loop and is insisted on',
      ['a:x', 'a:Not run: this would only repeat what you did before.'],
      'a',
    ],
  ])('refuses %s', (_, calls, next) => {
    expect(problem(calls, next)).toContain('Not run');
  });

  it.each([
    ['the second time', ['a:x'], 'a'],
    ['polling something that changes', ['a:1 %', 'a:2 %', 'a:3 %'], 'a'],
    ['a call after others', ['a:x', 'a:x', 'b:y'], 'a'],
    ['a cycle that breaks', ['a:x', 'b:y', 'a:x', 'c:z', 'a:x'], 'b'],
  ])('lets %s pass', (_, calls, next) => {
    expect(problem(calls, next)).toBeNull();
  });

  it('tells calls apart by their arguments, in whatever order these are', () => {
    const call = (id: string, input: Json): { content: ContentBlock[] }[] => [
      { content: [{ type: 'tool_use', id, name: 'a', input }] },
      { content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] },
    ];
    const twice = [...call('1', { p: 1, q: { r: 2, s: 3 } }), ...call('2', { q: { s: 3, r: 2 }, p: 1 })];
    expect(loopProblem(twice, 'a', { p: 1, q: { r: 2, s: 3 } })).toContain('Not run');
    expect(loopProblem(twice, 'a', { p: 2, q: { r: 2, s: 3 } })).toBeNull();
  });
});
