/** A model without tool calls of its own: it is told about tools in words, and calls stand in the text. */
import { cut, says, type Reply } from '../reply.js';
import { blockStart, start, textDelta } from '../sse.js';
import type { Play } from '../played.js';
import { AFTER, type Expectation, type WireCase } from '../wire-case.js';
import { CALLS_IN_TEXT } from '../wire-stack.js';
import { HELLO } from './usual.js';

const CALL = `<write_file>\n<path>${HELLO.path}</path>\n<content>${HELLO.content}</content>\n</write_file>`;
const WRITTEN: Pick<Expectation, 'calls' | 'files'> = {
  calls: [{ tool: 'write_file', arguments: HELLO }],
  files: { [HELLO.path]: HELLO.content },
};
const NOTHING: Pick<Expectation, 'calls' | 'files'> = { calls: [], files: { [HELLO.path]: null } };

function inText(name: string, what: string, replies: readonly Reply[], expect: Expectation): WireCase {
  return {
    name: `xml-${name}`,
    what,
    replies,
    task: { profile: CALLS_IN_TEXT },
    expect: { ...expect, also: onlyWords },
  };
}

/** Neither a tool nor a block of one goes out, whatever came of the calls. */
function onlyWords({ exchanges }: Play): string[] {
  return exchanges.flatMap(({ request }, at) => {
    const blocks =
      request?.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content)) ?? [];
    const odd = blocks.find(({ type }) => type === 'tool_use' || type === 'tool_result')?.type;
    return [
      ...((request?.tools ?? []).length > 0
        ? [`request ${at + 1} offers tools beside the words about them`]
        : []),
      ...(odd === undefined ? [] : [`request ${at + 1} has a block ${odd}`]),
      ...(JSON.stringify(request?.system).includes('## write_file')
        ? []
        : [`request ${at + 1} does not tell about write_file`]),
    ];
  });
}

export const callsInText: readonly WireCase[] = [
  inText('call', 'a call in the text, between words', [says(`Let me write it.\n${CALL}`)], {
    ...{ output: AFTER, requests: 2, ...WRITTEN },
  }),
  inText(
    'fence',
    'a call in a code fence, an example in backticks, and a real call behind them',
    [
      says(
        `Calls look so:\n\n\`\`\`xml\n<run_command>\n<command>touch b.txt</command>\n</run_command>\n\`\`\`\n\nor \`<list_files></list_files>\`. Now:\n${CALL}`,
      ),
    ],
    { output: AFTER, requests: 2, calls: WRITTEN.calls, files: { ...WRITTEN.files, 'b.txt': null } },
  ),
  inText(
    'fence-alone',
    'an answer whose only call is an example in a code fence',
    [says(`You can call it so:\n\n\`\`\`\n${CALL}\n\`\`\``)],
    { requests: 1, output: /You can call it so/, ...NOTHING },
  ),
  inText(
    'unclosed',
    'an answer that ends within a call',
    [says(`Now.\n<write_file>\n<path>${HELLO.path}</path>\n<content>hel`), says(CALL)],
    {
      output: AFTER,
      requests: 3,
      calls: [
        { tool: 'write_file', state: 'errored', output: /^Not run: the value of content has no end/ },
        ...(WRITTEN.calls ?? []),
      ],
      files: WRITTEN.files,
    },
  ),
  inText(
    'unknown-tool',
    'tags of a tool that there is not are words',
    [says('I use <teleport><to>the moon</to></teleport> for that.')],
    { requests: 1, output: /<teleport><to>the moon/, ...NOTHING },
  ),
  inText(
    'cut',
    'the connection ends within a call in the text',
    [cut(start(), blockStart(0, { type: 'text', text: '' }), textDelta(0, CALL.slice(0, -8)))],
    { output: AFTER, requests: 2, ...NOTHING },
  ),
  inText(
    'cut-behind',
    'the connection ends within the words behind a whole call',
    [cut(start(), blockStart(0, { type: 'text', text: '' }), textDelta(0, `${CALL}\nAnd th`))],
    {
      ...{ output: AFTER, requests: 2 },
      calls: [{ tool: 'write_file', state: 'errored', output: /^Your answer was cut off/ }],
      files: NOTHING.files,
    },
  ),
];
