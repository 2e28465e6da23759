/** What `approve`, `deny` and `answer` have in common: find, answer, say what became of it. */
import type { InteractionAnswer, InteractionView } from '@bullpen/contracts';
import { printJson, type Client, type Context } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { doneWords } from '../render/interaction.js';
import { oneLine } from '../render/plain-text.js';
import { placeOf } from './place-of.js';
import { giveAnswer } from './give-answer.js';

export interface AnswerContext {
  readonly context: Context;
  readonly client: Client;
  readonly json: boolean;
}

/** The API takes so many at once. */
const BATCH = 200;

/** One after the other; the first that is refused ends it, and nothing after it is touched. */
export async function answerOne(
  { context, client, json }: AnswerContext,
  ids: readonly string[],
  answerOf: (view: InteractionView) => InteractionAnswer,
): Promise<void> {
  const { io } = context;
  const found: InteractionView[] = [];
  for (const id of ids) found.push(await client.interactions.get(id));
  // All flags are checked before the first answer is given.
  const answers = found.map((view) => ({ view, answer: answerOf(view) }));
  const done: InteractionView[] = [];
  for (const { view, answer } of answers) {
    const closed = await giveAnswer(client, view, answer);
    done.push(closed);
    if (!json) io.err(`${closed.id} ${doneWords(answer)}: ${oneLine(closed.title)}`);
  }
  if (json) printJson(io, done.length === 1 ? done[0] : { data: done });
}

/** `--task` without `--all` would answer less than it seems to. */
export function refuseTaskAlone(task: string | undefined): void {
  if (task !== undefined) throw new CliError(EXIT.usage, '--task works only with --all.');
}

/** The same answer for every call that waits in a task; for a root in its whole tree. */
export async function answerAllOf(
  to: AnswerContext,
  { ids, task }: { readonly ids: readonly string[]; readonly task: string | undefined },
  answerOf: (view: InteractionView) => InteractionAnswer,
): Promise<void> {
  if (ids.length > 0 || task === undefined)
    throw new CliError(EXIT.usage, '--all needs --task, and takes no ids.');
  const waiting: InteractionView[] = [];
  const filter = { ...(await placeOf(to.client, task)), kind: 'approval' as const, limit: 200 };
  for await (const view of to.client.interactions.iterate(filter)) waiting.push(view);
  const [first] = waiting;
  if (first === undefined) throw new CliError(EXIT.notFound, `No call of ${task} waits for approval.`);
  await answerMany(to, waiting, answerOf(first));
}

/** Those that do not take the answer are named. */
async function answerMany(
  { context, client, json }: AnswerContext,
  views: readonly InteractionView[],
  answer: InteractionAnswer,
): Promise<void> {
  const { io } = context;
  const result = { answered: [] as string[], failed: [] as { id: string; code: string; detail: string }[] };
  for (let at = 0; at < views.length; at += BATCH) {
    const ids = views.slice(at, at + BATCH).map(({ id }) => id);
    const { answered, failed } = await client.interactions.answerAll(ids, answer);
    result.answered.push(...answered);
    result.failed.push(...failed);
  }
  if (result.failed.length > 0) context.setExitCode(EXIT.conflict);
  if (json) return printJson(io, result);
  const titles = new Map(views.map(({ id, title }) => [id, oneLine(title)]));
  for (const id of result.answered) io.err(`${id} ${doneWords(answer)}: ${titles.get(id)}`);
  for (const { id, detail } of result.failed)
    io.err(`${io.errColors.red('refused:')} ${id} ${oneLine(detail)}`);
}
