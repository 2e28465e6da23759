import { describe, expect, it } from '@jest/globals';
import type { ContentBlock, Json } from '@bullpen/contracts';
import type { Tool } from '../../ports/tool.js';
import { LOOP_REFUSED, type KnownTools } from './answered-calls.js';
import { loopProblem } from './loop-problem.js';

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock[];
}

/** `name` and `name args`, each in a turn of its own, with a result. */
type Call = readonly [call: string, result?: string];

let made = 0;
function turn([call, result = 'x']: Call): Message[] {
  const [name = '', args = '{}'] = call.split(/ (.*)/s);
  const id = `t${(made += 1)}`;
  const isError = result.startsWith('!') || result === LOOP_REFUSED;
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input: JSON.parse(args) as Json }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content: result, ...(isError && { is_error: true }) },
      ],
    },
  ];
}

const tools: KnownTools = new Map(
  Object.entries({
    read: { group: 'read' },
    search: { group: 'read' },
    wait: { group: 'read', polls: true },
    edit: { group: 'write' },
    build: { group: 'execute', asides: ['description'] },
    ...Object.fromEntries(
      ['run', 'move', 'a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, { group: 'execute' }]),
    ),
  } as Record<string, Pick<Tool, 'group' | 'polls' | 'asides'>>),
);

function problem(calls: readonly Call[], next: string): string | null {
  const [name = '', args = '{}'] = next.split(/ (.*)/s);
  return loopProblem(calls.flatMap(turn), tools, name, JSON.parse(args) as Json);
}

const rounds = (count: number, ...calls: Call[]): Call[] => Array.from({ length: count }, () => calls).flat();
/** All of these rounds but the last call of the last. */
function before(count: number, ...calls: Call[]): [Call[], string] {
  const all = rounds(count, ...calls);
  const last = all.pop();
  return [all, last?.[0] ?? ''];
}

describe('a loop', () => {
  it('is the same call a third time, and so is a cycle of up to six calls', () => {
    const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (let length = 1; length <= 6; length += 1) {
      const cycle = letters.slice(0, length).map((name): Call => [name]);
      expect(problem(...before(3, ...cycle))).toContain('Not run');
      expect(problem(...before(2, ...cycle))).toBeNull();
    }
  });

  it('is insisted on, by a call that was refused as one', () => {
    expect(problem([['a'], ['a', LOOP_REFUSED]], 'a')).toContain('Not run');
  });

  it('is found although something else came before it', () => {
    const other = Array.from({ length: 100 }, (_, at): Call => ['read', String(at)]);
    expect(problem([...other, ['a'], ['a']], 'a')).toContain('Not run');
  });

  it('is found although a field of its own makes each call new, if its tool says that the field is an aside', () => {
    const call = (words: string) => `build {"command":"make","description":"${words}"}`;
    const calls: Call[] = [
      [call('Build it'), '!exit code 2'],
      [call('Try the build'), '!exit code 2'],
    ];
    expect(problem(calls, call('Run make again'))).toContain('Not run');
    expect(problem(calls, 'build {"command":"make all","description":"Build it"}')).toBeNull();
  });

  it('is found whatever order the arguments are in', () => {
    const calls: Call[] = [['a {"p":1,"q":{"r":2,"s":3}}'], ['a {"q":{"s":3,"r":2},"p":1}']];
    expect(problem(calls, 'a {"p":1,"q":{"r":2,"s":3}}')).toContain('Not run');
    expect(problem(calls, 'a {"p":2,"q":{"r":2,"s":3}}')).toBeNull();
  });

  it.each([
    [
      'clocks and durations',
      'FAIL a.spec.ts at 12:03:07 (1.42 s)\nRan in 3s',
      'FAIL a.spec.ts at 12:04:59 (987 ms)\nRan in 12s',
    ],
    ['dates', '[2026-11-29T08:29:38.123Z] no route', '[2026-11-30 09:00:01+09:00] no route'],
    ['dates in words', 'Sun Nov 29 08:29:38 UTC 2026: refused', 'Mon Nov 30 18:29:38 UTC 2026: refused'],
    [
      'ids',
      'request 0198fa3c-11aa-7bbb-8ccc-123456789abc failed, pid 4711',
      'request 0198fa3c-22aa-7bbb-8ccc-abcdef123456 failed, pid 4822',
    ],
    ['ids of ours and hashes', 'task_01JX8ZQ9YB7K at 3fa9c1d', 'task_01JX9AAAAB7K at 77be01a'],
    [
      'progress',
      'Downloading [=====>    ] 45%\nno space left',
      'Downloading [========> ] 83%\nno space left',
    ],
    [
      'colours and lines that were written over',
      '\u001b[31mFAIL\u001b[0m\n1/9\r2/9\r9/9\nend',
      'FAIL\n3/9\r9/9\nend',
    ],
    [
      'temporary names and ports',
      'cannot open /tmp/x.Ab3 on localhost:43211',
      'cannot open /tmp/y.Cd4 on localhost:38999',
    ],
  ])('is found although the results differ by %s', (_, first, second) => {
    expect(
      problem(
        [
          ['run', first],
          ['run', second],
        ],
        'run',
      ),
    ).toContain('Not run');
  });

  it('is a call that is made a sixth time between looks, when nothing has been changed', () => {
    const calls = Array.from({ length: 5 }, (_, at): Call[] => [
      ['run'],
      [`read {"at":${at}}`, `file ${at}`],
    ]).flat();
    expect(problem(calls, 'run')).toContain('changed nothing in between');
  });

  it('is a walk among what is known, in whatever order', () => {
    const known = ['a', 'b', 'c', 'd'].map((name): Call => [name]);
    const order = 'abdacbdabcdb'.split('').map((name): Call => [name]);
    expect(problem([...known, ...order], 'a')).toContain('nothing that you had not seen before');
  });
});

describe('no loop', () => {
  it.each<[string, readonly Call[], string]>([
    ['the second time', [['a']], 'a'],
    [
      'polling something that changes',
      [
        ['a', '1 %'],
        ['a', '2 %'],
        ['a', '3 %'],
      ],
      'a',
    ],
    [
      'another line of an error',
      [
        ['run', 'a.ts:3:10 error'],
        ['run', 'a.ts:9:10 error'],
      ],
      'run',
    ],
    ['a call after others', [['a'], ['a'], ['b']], 'a'],
    ['a cycle that breaks', [['a'], ['b'], ['a'], ['c'], ['a']], 'b'],
    ['a tool that waits', rounds(20, ['wait']), 'wait'],
    ['work between waits', rounds(5, ['wait', 'still runs'], ['a']), 'b'],
    [
      'tests that fail alike after different edits',
      [1, 2, 3, 4, 5, 6].flatMap((n): Call[] => [
        ['run', '!1 failed'],
        [`edit {"n":${n}}`, 'edited'],
      ]),
      'run',
    ],
    [
      'tests that fail alike while a file changes',
      rounds(6, ['run', '!1 failed'], ['edit', 'edited']),
      'run',
    ],
  ])('is %s', (_, calls, next) => {
    expect(problem(calls, next)).toBeNull();
  });

  it('is honest repetition: search, move, search, edit for each of twelve files', () => {
    const calls = Array.from({ length: 12 }, (_, at): Call[] => [
      [`search {"pattern":"old_${at}"}`, 'no matches'],
      [`move {"from":"old_${at}","to":"new_${at}"}`, 'exit code 0'],
      [`search {"pattern":"old_${at}"}`, 'no matches'],
      [`edit {"path":"new_${at}"}`, 'edited'],
    ]).flat();
    calls.forEach(([next], at) => expect(problem(calls.slice(0, at), next)).toBeNull());
  });

  it('is what the user asks for again', () => {
    const again: Message = { role: 'user', content: [{ type: 'text', text: 'Run it again.' }] };
    const messages = [...turn(['a']), ...turn(['a']), again];
    expect(loopProblem(messages, tools, 'a', {})).toBeNull();
  });
});

it('is looked for in the newest messages only, however long the history is', () => {
  const long = Array.from({ length: 20_000 }, (_, at): Call => ['read', String(at)]).flatMap(turn);
  let looks = 0;
  const watched = long.map(({ role, content }) => ({
    role,
    get content() {
      looks += 1;
      return content;
    },
  }));
  loopProblem(watched, tools, 'read', {});
  expect(looks).toBeLessThan(500);
});
