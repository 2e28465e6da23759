/** What `approve`, `deny` and `answer` have in common: find, answer, say what became of it. */
import type { InteractionAnswer, InteractionView, Json } from '@bullpen/contracts';
import { printJson, type Client, type Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { answerWords } from '../render/interaction.js';
import { oneLine } from '../render/plain-text.js';
import { findInteraction } from './find-interaction.js';
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
  for (const id of ids) found.push(await findInteraction(client, id));
  // All flags are checked before the first answer is given.
  const answers = found.map((view) => ({ view, answer: answerOf(view) }));
  const done: InteractionView[] = [];
  for (const { view, answer } of answers) {
    const closed = await giveAnswer(client, view, answer);
    done.push(closed);
    if (!json)
      io.err(`${closed.id} ${answerWords(answer as Record<string, Json>)}: ${oneLine(closed.title)}`);
  }
  if (json) printJson(io, done.length === 1 ? done[0] : { data: done });
}

/** The same answer for many; those that do not take it are named. */
export async function answerMany(
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
  for (const id of result.answered)
    io.err(`${id} ${answerWords(answer as Record<string, Json>)}: ${titles.get(id)}`);
  for (const { id, detail } of result.failed)
    io.err(`${io.errColors.red('refused:')} ${id} ${oneLine(detail)}`);
}
