/** Gives an answer that counts only for what was seen, and says which answer counts when somebody else was first. */
import { ApiError } from '@bullpen/client';
import type { InteractionAnswer, InteractionView } from '@bullpen/contracts';
import type { Client } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { answerWords } from '../render/interaction.js';

/** Throws with exit code 7 and the answer that counts when it was closed before, and with the gateway's error when it refuses for another reason. */
export async function giveAnswer(
  client: Client,
  view: InteractionView,
  answer: InteractionAnswer,
): Promise<InteractionView> {
  try {
    return await client.interactions.answer(view.id, answer, { hash: view.hash });
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.code !== 'interaction_closed') throw error;
    throw new CliError(EXIT.conflict, closedText(await client.interactions.get(view.id)), [], {
      cause: error,
    });
  }
}

/** How it came to be closed, in a sentence. */
export function closedText({ id, state, answer, answeredBy }: InteractionView): string {
  if (state === 'pending') return `${id} no longer needs an answer: its task has ended.`;
  if (answer === null) return `${id} was withdrawn: it is no longer needed.`;
  const by = answeredBy === 'expiry' ? 'It expired, which counts as' : `${answeredBy ?? 'Somebody'} answered`;
  return `${id} is closed. ${by}: ${answerWords(answer)}`;
}
