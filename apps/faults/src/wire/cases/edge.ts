/** What cannot be sent: blank words are refused where they enter, and a history that is refused has a way out. */
import { ApiError } from '@bullpen/client';
import { atRest } from '../play.js';
import { apiError, calls, says } from '../reply.js';
import { call } from '../sse.js';
import { AFTER, type Probe } from '../wire-case.js';
import { promptOf } from '../wire-server.js';
import type { WireStack } from '../wire-stack.js';

const BLANKS = ['', ' ', '   ', '\n', ' \t\r\n ', '\u00a0', '\u2003\u3000', '\ufeff'];

/** Ways in for words, with the field that a refusal must name. */
function waysIn(
  { client }: WireStack,
  taskId: string,
): readonly (readonly [string, (text: string) => Promise<unknown>])[] {
  const { tasks } = client;
  return [
    ['/prompt', (text) => tasks.create({ prompt: text })],
    ['/prompt', (text) => tasks.create({ prompt: text, conversation: true })],
    ['/text', (text) => tasks.sendMessage(taskId, { text })],
    ['/text', (text) => tasks.sendMessage(taskId, { text, strategy: 'interrupt' })],
    ['/message', (text) => tasks.interrupt(taskId, { message: text })],
    ['/message', (text) => tasks.retry(taskId, { message: text })],
  ];
}

async function blanks(stack: WireStack): Promise<readonly string[]> {
  const name = 'blank';
  stack.server.script(name, () => says('I listen.'));
  const { id } = await stack.client.tasks.create({ prompt: promptOf(name), conversation: true });
  await atRest(stack.stage, id);
  const found: string[] = [];
  for (const [field, send] of waysIn(stack, id))
    for (const text of BLANKS) found.push(...(await refusal(field, text, send)));
  await atRest(stack.stage, id);
  const asked = stack.server.exchanges(name).length;
  return asked === 1 ? found : [...found, `the model was asked ${asked} times, not once`];
}

async function refusal(
  field: string,
  text: string,
  send: (text: string) => Promise<unknown>,
): Promise<string[]> {
  const what = `${JSON.stringify(text)} as ${field}`;
  try {
    await send(text);
    return [`${what} was taken`];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const pointers = error.problem.errors?.map(({ pointer }) => pointer) ?? [];
    return error.status === 400 && pointers.includes(field)
      ? []
      : [`${what} was answered ${error.status}, about ${pointers.join(', ')}`];
  }
}

/** Refused for ever is what stands in an answer of the task, so that nothing automatic can help. */
async function poisoned({ client, server, stage }: WireStack): Promise<readonly string[]> {
  const name = 'poisoned-history';
  server.script(name, ({ messages }) => {
    const sent = JSON.stringify(messages);
    if (sent.includes('toolu_poison'))
      return apiError(400, 'invalid_request_error', 'messages.3: cannot be read');
    return sent.includes('toolu_first') ? poison : calls(call(0, 'list_files', {}, 'toolu_first'));
  });
  const { id } = await client.tasks.create({ prompt: promptOf(name) });
  await atRest(stage, id);
  const { state, failure } = await client.tasks.get(id);
  const message = failure?.message ?? '';
  const found =
    state === 'failed' && /rewind/.test(message) && /retry/i.test(message)
      ? []
      : [`it is ${state}, and says ${message}`];
  await client.tasks.rewind(id, { answers: 1 });
  server.script(name, () => says(AFTER));
  await client.tasks.retry(id);
  await atRest(stage, id);
  const after = await client.tasks.get(id);
  const last = server.exchanges(name).at(-1)?.body ?? '';
  return [
    ...found,
    ...(after.state === 'completed' && after.output === AFTER
      ? []
      : [`rewound and tried again it is ${after.state}: ${after.failure?.message}`]),
    ...(last.includes('toolu_first') && !last.includes('toolu_poison')
      ? []
      : ['the rewind left out the wrong answers']),
  ];
}

const poison = calls(call(0, 'list_files', { depth: 2 }, 'toolu_poison'));

export const edge: readonly Probe[] = [
  { name: 'blank', what: 'prompts and messages of blanks', probe: blanks },
  {
    name: 'poisoned-history',
    what: 'a history that is refused for ever: rewind and retry get through',
    probe: poisoned,
  },
];
