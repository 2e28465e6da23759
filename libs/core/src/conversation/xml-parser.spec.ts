/** Calls that stand in the text: what counts as one, what its values are, and what is never run. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonSchema } from '@bullpen/contracts';
import { AnswerParser, type ModelChunk, type ToolDefinition } from '@bullpen/core';
import { cpuMs } from '@bullpen/testing/cpu-time';
import { TextCallParser } from './xml-parser.js';

const tool = (name: string, properties: JsonSchema, required: string[] = []): ToolDefinition => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
});
const string = { type: 'string' };
const TOOLS = [
  tool('read_file', { path: string, limit: { type: 'integer' } }, ['path']),
  tool('write_file', { path: string, content: string }, ['path', 'content']),
  tool('delete_file', { path: string }),
  tool('run_command', { command: string, timeoutMs: { type: 'integer' }, background: { type: 'boolean' } }),
  tool('update_todos', {
    todos: { type: 'array', items: { type: 'object' } },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    either: { type: ['string', 'array'] },
    named: { $ref: '#/$defs/Named' },
    whatever: {},
  }),
  tool('list_processes', {}),
];
TOOLS[4] = {
  ...TOOLS[4]!,
  inputSchema: { ...TOOLS[4]!.inputSchema, $defs: { Named: { type: 'object', properties: { a: string } } } },
};

function parse(pieces: readonly string[], tools = TOOLS, stopReason: string | null = 'end_turn') {
  const calls = new TextCallParser(tools, (number) => `call_${number}`);
  const answer = new AnswerParser();
  const chunks: ModelChunk[] = [
    ...pieces.map((text): ModelChunk => ({ type: 'text', index: 0, text })),
    ...(stopReason === null
      ? []
      : [{ type: 'block_end', index: 0 } as const, { type: 'stop', stopReason } as const]),
  ];
  for (const chunk of chunks) calls.push(chunk).forEach((one) => answer.push(one));
  calls.end().forEach((one) => answer.push(one));
  return answer.finish(new Set());
}

/** The calls of a text: their arguments, or what the model is told. */
const callsOf = (text: string, tools = TOOLS) =>
  parse([text], tools).toolCalls.map(({ tool: name, arguments: args, problem }) =>
    problem === null ? { tool: name, args } : { tool: name, problem },
  );
const textOf = (text: string) =>
  parse([text])
    .content.map((block) => (block.type === 'text' ? block.text : ''))
    .join('');
const write = (content: string, path = 'a.md') =>
  `<write_file>\n<path>${path}</path>\n<content>${content}</content>\n</write_file>`;

describe('a call in the text', () => {
  it('is a call like any other, between the words around it', () => {
    const answer = parse(['I look.\n<read_file>\n<path>src/a.ts</path>\n</read_file>\nThen I go on.']);
    expect(answer.content).toEqual([
      { type: 'text', text: 'I look.\n' },
      { type: 'tool_use', id: 'call_1', name: 'read_file', input: { path: 'src/a.ts' } },
      { type: 'text', text: '\nThen I go on.' },
    ]);
    expect(answer.toolCalls).toMatchObject([{ arguments: { path: 'src/a.ts' }, problem: null }]);
  });

  it('can be one of several, on one line as well as on many', () => {
    const text = `<read_file><path>a</path></read_file><read_file><path>b</path></read_file>\n${write('x')} <list_processes></list_processes><list_processes/>`;
    expect(callsOf(text)).toEqual([
      { tool: 'read_file', args: { path: 'a' } },
      { tool: 'read_file', args: { path: 'b' } },
      { tool: 'write_file', args: { path: 'a.md', content: 'x' } },
      { tool: 'list_processes', args: {} },
      { tool: 'list_processes', args: {} },
    ]);
  });

  it('has values of the types that the schema names', () => {
    const text =
      '<read_file><path>7</path><limit> 40 </limit></read_file>' +
      '<run_command><command>true</command><timeoutMs>many</timeoutMs><background>true</background></run_command>' +
      '<update_todos><todos>[{"text":"a </todos> b"}]</todos><note>null</note><either>["x"]</either>' +
      '<named>{"a":"b"}</named><whatever>[1]</whatever></update_todos>';
    expect(callsOf(text)).toEqual([
      { tool: 'read_file', args: { path: '7', limit: 40 } },
      { tool: 'run_command', args: { command: 'true', timeoutMs: 'many', background: true } },
      {
        tool: 'update_todos',
        args: {
          todos: [{ text: 'a </todos> b' }],
          note: 'null',
          either: ['x'],
          named: { a: 'b' },
          whatever: [1],
        },
      },
    ]);
  });

  it.each([
    ['entities', '<a href="?x=1&amp;y=2">&lt;</a>'],
    ['line breaks at both ends', '\n\na\r\n\n'],
    ['blanks', '  a\t '],
    ['code fences', '# Doc\n```xml\n<x>\n```\n~~~\n'],
    ['its own closing tag', 'the block ends with </content> here'],
    ['its own closing tag at its end', 'a</content>'],
    ['its own closing tag before the tag of no parameter', 'a</content>\n<b>c</b>'],
    ['its own tags', '<content>a</content>\n<content>b</content>'],
    ['the tag of its tool', 'call <write_file> with care'],
    ['the closing tag of its tool', 'echo "</write_file>"'],
    ['a whole call of another tool', '<delete_file><path>x</path></delete_file>'],
    ['a whole call of its own tool', `Like this:\n${write('b', 'c')}\nand on`],
    ['two whole calls of its own tool', `${write('b', 'c')} ${write('d', 'e')}.`],
    ['quotes and escapes', '"\\n\u2028\\"{}'],
    ['characters of two units', '😀 한글'],
    ['a broken tag', '<content <path </content'],
  ])('has %s in a value as they are', (_, value) => {
    expect(callsOf(write(value))).toEqual([{ tool: 'write_file', args: { path: 'a.md', content: value } }]);
  });

  it('takes any parameter where the schema names none', () => {
    const free = [{ name: 'mcp_tool', description: '', inputSchema: { type: 'object' } }];
    expect(callsOf('<mcp_tool><a>x</a><b-c>[1]</b-c></mcp_tool>', free)).toEqual([
      { tool: 'mcp_tool', args: { a: 'x', 'b-c': [1] } },
    ]);
  });
});

describe('what is never run', () => {
  it.each([
    [
      'prose with brackets',
      'Is a <b>bold</b> claim, a < b and <T> x; <path>, </path>, <unknown_tool><path>x</path></unknown_tool>',
    ],
    ['a tool that is only mentioned', 'I use <read_file> for that, and <write_file><nothing> too.'],
    ['a fence', '```\n<delete_file><path>x</path></delete_file>\n```\n'],
    [
      'a longer fence with a shorter one in it',
      '`````md\n```\n<delete_file><path>x</path></delete_file>\n```\n<delete_file><path>x</path></delete_file>\n`````',
    ],
    ['tildes', '~~~xml\n```\n<delete_file><path>x</path></delete_file>\n~~~'],
    ['an indented fence', 'List:\n   - ```xml\n     <delete_file><path>x</path></delete_file>\n     ```\n'],
    ['a quoted fence', '> ```\n> <delete_file><path>x</path></delete_file>\n> ```'],
    ['an unclosed fence', 'Look:\n```xml\n<delete_file><path>x</path></delete_file>\n'],
    ['a fence with nothing behind its mark', '```xml <delete_file><path>x</path></delete_file>'],
    [
      'a fence whose mark is followed by words',
      '```\na\n``` no end\n<delete_file><path>x</path></delete_file>\n```',
    ],
    ['a code span', 'Write `<delete_file><path>x</path></delete_file>` for it.'],
    ['a code span of two backticks', '``a ` <delete_file><path>x</path></delete_file>`` it.'],
    ['a code span over two lines', '`<delete_file>\n<path>x</path></delete_file>` it.'],
  ])('%s', (_, text) => {
    expect(parse([text]).toolCalls).toEqual([]);
    expect(textOf(text)).toBe(text);
  });

  it('nothing in an example swallows the real call behind it', () => {
    const words = 'word '.repeat(80);
    const text = `So:\n\`\`\`xml\n<run_command>\n<command>rm -rf x</command>\n</run_command>\n\`\`\`\n${words}\n<run_command><command>ls</command></run_command>`;
    expect(callsOf(text)).toEqual([{ tool: 'run_command', args: { command: 'ls' } }]);
    expect(textOf(text)).toContain(words);
  });

  it('a lone backtick hides no call', () => {
    const text = 'The ` is a mark, and `` too:\n<read_file><path>a</path></read_file>\n\nThe end of `x`.';
    expect(callsOf(text)).toEqual([{ tool: 'read_file', args: { path: 'a' } }]);
    expect(textOf(text)).toBe('The ` is a mark, and `` too:\n\n\nThe end of `x`.');
    expect(callsOf('It`s\n```\ncode\n```\n<read_file><path>a</path></read_file>')).toHaveLength(1);
  });

  it('nothing in thoughts counts, whether they are blocks, tags, or only the end of tags', () => {
    const call = '<delete_file><path>x</path></delete_file>';
    for (const text of [`<think>\nHm \`\`\` ${call}\n</think>\nDone.`, `<thinking>${call}</thinking>Done.`]) {
      expect(parse([text])).toMatchObject({ toolCalls: [], text: expect.stringMatching(/^\s*Done\.$/) });
    }
    expect(parse([`<think>${call}`])).toMatchObject({ toolCalls: [], content: [] });
    expect(callsOf(`Hm. ${call}\n</think>\n<read_file><path>a</path></read_file>`)).toEqual([
      { tool: 'delete_file', problem: expect.stringContaining('part of your thoughts') },
      { tool: 'read_file', args: { path: 'a' } },
    ]);
    const parser = new TextCallParser(TOOLS, String);
    expect(parser.push({ type: 'reasoning', index: 0, text: call })).toEqual([
      { type: 'reasoning', index: 0, text: call },
    ]);
  });

  it('a tool that is not on offer', () => {
    expect(parse(['<read_file><path>a</path></read_file>'], []).toolCalls).toEqual([]);
  });

  it.each([
    ['in a value', '<write_file><path>a</path><content>half of'],
    ['behind a value', '<write_file><path>a</path><content>half of</content>\n'],
    ['between parameters', '<write_file><path>a</path>\n'],
    ['between parameters, with the beginning of a tag', '<write_file><path>a</path>\n<conte'],
    ['behind its name', 'I write.\n<write_file>\n'],
    ['with another call behind it', `<write_file><path>a</path><content>half of\n${write('x')}`],
    [
      'with its end but not that of its value',
      `<write_file><path>a</path><content>x</write_file>\n${write('y', 'b')}`,
    ],
    ['without tags for its parameters', '<write_file>a.txt'],
  ])('an unclosed call, %s: the model is told', (_, text) => {
    expect(callsOf(text)).toEqual([
      {
        tool: 'write_file',
        problem: expect.stringMatching(
          /^Not run: (your answer ended before the end of this call|the value of \w+ has no end)/,
        ),
      },
    ]);
  });

  it.each([
    [
      'words between its parameters',
      '<write_file><path>a</path> and <content>x</content></write_file>',
      /the value of path has no end. Its <\/path> must have/,
    ],
    [
      'a parameter that it does not have',
      '<read_file><path>a</path></read_file><read_file><limit>1</limit><file>b</file></read_file>',
      /the value of limit has no end/,
    ],
    [
      'no tags for its parameters',
      '<read_file>a.txt</read_file>',
      /ends a call that could not be read\. It is called like this: <read_file><path>…/,
    ],
    ['another tag first', '<read_file><file>b</file></read_file>', /could not be read.*path, limit\.$/],
  ])('a call with %s: the model is told', (_, text, told) => {
    expect(callsOf(text).at(-1)).toEqual({ tool: expect.any(String), problem: expect.stringMatching(told) });
  });

  it.each([
    ['words', `X</content>\n</write_file> tail`],
    ['a code block that ends in the rest', 'Doc\n```xml\n<content>x</content>\n</write_file>\n```\ndone'],
    ['a code block that begins in the rest', 'X</content></write_file>\n```\nmore'],
    ['a whole call in the rest', `X</content></write_file> <delete_file><path>x</path></delete_file> tail`],
    ['a whole call of the same tool in the rest', `X</content></write_file> ${write('b', 'c')} tail`],
    ['another parameter', 'X</content><path>other</path></write_file> tail'],
  ])(
    'a value that may go on behind the end of its call (%s) is refused, and never written shorter',
    (_, value) => {
      for (const call of callsOf(write(value))) {
        if ('args' in call) expect(call.args).toEqual({ path: 'a.md', content: value });
        else expect(call.problem).toMatch(/^Not run: /);
      }
    },
  );

  it('lets a real call stand beside examples of the same tool', () => {
    const example = '```\n<write_file><path>x</path><content>y</content></write_file>\n```\n';
    expect(callsOf(`${example}${write('z')}\n${example}`)).toEqual([
      { tool: 'write_file', args: { path: 'a.md', content: 'z' } },
    ]);
  });

  it('a call in an answer that was cut: kept when it was whole, and not run', () => {
    const text = `${write('x')}\n<write_file><path>b</path><content>half`;
    expect(parse([text], TOOLS, null)).toMatchObject({
      complete: false,
      toolCalls: [{ arguments: null, problem: expect.stringContaining('cut off') }],
    });
    const limited = parse([text], TOOLS, 'max_tokens').toolCalls;
    expect(limited.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('token limit'),
      expect.stringContaining('token limit'),
    ]);
  });
});

describe('however the text is split', () => {
  const texts = [
    `Hi \`a\` <read_file> no.\n\n\`\`\`x\n</read_file>\n\`\`\`\n${write('a</content>\n b 😀')} <think>\n`,
    `<think>\nno <x></think>\r\nIt\`s <read_file>\n<path>\`</path>\n\n<limit>4</limit>\n</read_file>~~~\n`,
    `- ~~~\n  ${write('q')}\n  ~~~~ \n${write(write('n'))}<write_file><path>é</path>oops`,
    `<list_processes /> x</think> \`\`\`a\`\`\` <write_file><content>z</content>\n<path>p</path>\n</write_file></write_file>`,
  ];

  it.each(texts)('the answer is the same: %j', (text) => {
    const whole = parse([text]);
    for (let at = 0; at <= text.length; at += 1)
      expect(parse([text.slice(0, at), text.slice(at)])).toEqual(whole);
    expect(parse([...text])).toEqual(whole);
    expect(parse(text.split(''))).toEqual(whole);
  });

  it('also for texts made by chance of what may matter', () => {
    const parts = [
      '<read_file>',
      '</read_file>',
      '<path>',
      '</path>',
      '<limit>',
      '`',
      '``',
      '```',
      '~~~',
      '\n',
      '\n\n',
      ' ',
      'x',
      '<think>',
      '</think>',
      '<',
      '>',
      '1',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 30 }), fc.nat(9), (words, size) => {
        const text = words.join('');
        const pieces = text.match(new RegExp(`[^]{1,${size + 1}}`, 'g')) ?? [];
        const whole = parse([text]);
        expect(parse(pieces)).toEqual(whole);
        // What is no call and no thought is said.
        const said = whole.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
        expect(text.length).toBeGreaterThanOrEqual(said.length);
      }),
      { numRuns: 500 },
    );
  });

  it('values made by chance come out as they went in, or not at all', () => {
    const parts = [
      '</content>',
      '<content>',
      '<path>',
      '</path>',
      '</write_file>',
      '<write_file>',
      '\n',
      ' ',
      'a',
      '`',
      '```\n',
      '&amp;',
      '<b>',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), (words) => {
        const value = words.join('');
        // This is the same text as two calls, one behind the other.
        fc.pre(!/<\/write_file>[^]*<write_file>/.test(value));
        for (const call of parse([`${write(value)}\n`]).toolCalls)
          if (call.problem === null) expect(call.arguments).toEqual({ path: 'a.md', content: value });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the time', () => {
  const MEGABYTE = 1_000_000;
  const cases: readonly (readonly [string, string])[] = [
    ['prose', 'word <b> '],
    ['angle brackets', '<'],
    ['tags of tools', '<read_file>'],
    ['closing tags', '</read_file>'],
    ['backticks of growing length', ''],
    ['backticks', 'a ` '],
    ['fences', '```\n'],
    ['spaces', ' '],
  ];

  it.each(cases)('grows with the text and not faster: %s', (_, part) => {
    const text =
      part === ''
        ? Array.from({ length: 1_400 }, (_, n) => `${'`'.repeat(n)} `)
            .join('')
            .slice(0, MEGABYTE)
        : part.repeat(MEGABYTE / part.length);
    const time = (length: number) => cpuMs(() => parse([text.slice(0, length)]));
    const [tenth, all] = [time(MEGABYTE / 10), time(MEGABYTE)];
    // Linear is ten times as much, quadratic a hundred times.
    expect(all).toBeLessThan(Math.max(tenth, 5) * 60);
  });
});
