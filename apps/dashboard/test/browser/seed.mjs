/** Tasks of every kind with hostile texts in all that people and models write: titles, prompts, tags, commands, questions, plans. */

import { until } from './until.mjs';

/** Texts in one task. */
const AT_ONCE = 12;

export async function seed(stack, texts) {
  const groups = Array.from({ length: Math.ceil(texts.length / AT_ONCE) }, (_, at) =>
    texts.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
  const created = await Promise.all(groups.map((group, at) => stack.call('/v1/tasks', bodyOf(group, at))));
  const asks = created.filter((_, at) => at % 2 === 1).length;
  await until(
    async () => (await stack.call('/v1/interactions?limit=200')).data.length >= Math.floor(asks / 2),
    'asks',
  );
  await until(async () => {
    const { data } = await stack.call('/v1/tasks?limit=200&state=completed');
    return data.length >= Math.floor(groups.length / 3);
  }, 'completed tasks');
  const [failed, changed] = await Promise.all([seedFailed(stack), seedChanged(stack)]);
  const { url: shared } = await stack.call(`/v1/tasks/${changed}/shares`, {});
  return { tasks: created.length, asks, hostile: created[0].id, failed, changed, shared };
}

async function seedFailed(stack) {
  const { id } = await stack.submit({ prompt: 'Break once', title: 'Bring the prices up to date' });
  await stack.becomes(id, 'failed');
  return id;
}

async function seedChanged(stack) {
  const approvals = { alwaysAllowWrite: true };
  const { id } = await stack.submit({
    prompt: 'Write two files',
    title: 'Write down what was decided',
    approvals,
  });
  await stack.becomes(id, 'completed');
  return id;
}

/** Every second one asks: for a command, a file, an answer, or a plan. */
function bodyOf(group, at) {
  const [first = ''] = group;
  const words = [
    '',
    'Ask me this: ',
    '',
    'Write a file about this: ',
    '',
    'Run `echo hello && ls -la | head -n 3` and say: ',
    '',
    'Plan this: ',
  ];
  const kind = at % words.length;
  return {
    prompt: `${words[kind]}${group.join('\n\n')}`,
    title: readable(first).slice(0, 190) || 'A title',
    tags: [readable(first).slice(0, 60) || 'tag'],
    autonomy: kind === 7 ? 'plan' : kind % 2 === 1 ? 'agent' : 'background',
  };
}

/** Titles and tags take no control characters. */
function readable(text) {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f\u202e]/g, ' ').trim();
}
