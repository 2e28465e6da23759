/** What waits for people. Answers go through the store's commands: the first one counts. */
import {
  AppError,
  type AnswerInteraction,
  type BulkAnswer,
  type BulkAnswerResult,
  type InteractionPage,
  type InteractionView,
  type ListInteractions,
  type NextAction,
} from '@bullpen/contracts';
import {
  completeWithin,
  getInteraction,
  keyName,
  listInteractions,
  type AnswerResult,
  type IdempotencyClaim,
  type Principal,
  type Prisma,
  type TaskCommands,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { PRISMA, TASK_COMMANDS } from '../http/tokens.js';

@Injectable()
export class InteractionsService {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(TASK_COMMANDS) private readonly commands: TaskCommands,
  ) {}

  list({ tenantId }: Principal, query: ListInteractions): Promise<InteractionPage> {
    return listInteractions(this.prisma, tenantId, query);
  }

  async get({ tenantId }: Principal, id: string): Promise<InteractionView> {
    const view = await getInteraction(this.prisma, tenantId, id);
    if (view === null) throw notFound('interaction', id);
    return view;
  }

  /**
   * Answers one. With `idempotency` the key is stored in the same transaction, so that a crash before the reply does not tell a repeated
   * request that somebody else was first. @throws AppError when it was answered before, asks for something else by now, or does not take
   * this answer.
   */
  async answer(
    principal: Principal,
    id: string,
    body: AnswerInteraction,
    idempotency?: IdempotencyClaim,
  ): Promise<InteractionView> {
    return this.answerAs(principal, await keyName(this.prisma, principal.keyId), id, body, idempotency);
  }

  /** The same answer for many, each on its own: what one refuses does not touch the others. */
  async answerAll(principal: Principal, { ids, answer }: BulkAnswer): Promise<BulkAnswerResult> {
    const by = await keyName(this.prisma, principal.keyId);
    const result: BulkAnswerResult = { answered: [], failed: [] };
    for (const id of new Set(ids)) {
      try {
        await this.answerAs(principal, by, id, { answer });
        result.answered.push(id);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        result.failed.push({ id, code: error.code, detail: error.message });
      }
    }
    return result;
  }

  private async answerAs(
    principal: Principal,
    by: string,
    id: string,
    body: AnswerInteraction,
    idempotency?: IdempotencyClaim,
  ): Promise<InteractionView> {
    const result = await this.commands.answer(
      principal.tenantId,
      id,
      { ...body, by },
      idempotency &&
        ((client) =>
          completeWithin(client, idempotency, {
            status: 200,
            location: null,
            response: { committedInteractionId: id },
          })),
    );
    if (result.kind === 'not_found') throw notFound('interaction', id);
    const view = await this.get(principal, id);
    if (result.kind !== 'answered') throw refusal(result, view);
    return view;
  }
}

function refusal(
  result: Exclude<AnswerResult, { kind: 'answered' | 'not_found' }>,
  view: InteractionView,
): AppError {
  const nextActions: NextAction[] = [{ action: 'interaction.show', interactionId: view.id }];
  switch (result.kind) {
    case 'closed':
      return new AppError('interaction_closed', closedDetail(view), {
        details: { interaction: view },
        nextActions,
      });
    case 'changed':
      return new AppError(
        'interaction_changed',
        `Interaction ${view.id} does not ask for what the hash stands for.`,
        { nextActions },
      );
    case 'invalid': {
      const errors = result.errors.map(({ pointer, detail }) => ({ pointer: `/answer${pointer}`, detail }));
      const [first] = errors;
      const what = `The answer does not fit this ${view.kind}`;
      return new AppError('invalid_answer', `${what}: ${first?.detail ?? ''}`, {
        details: { errors },
        nextActions,
      });
    }
  }
}

function closedDetail({ id, state, answer, answeredBy, answeredAt }: InteractionView): string {
  if (state === 'pending') return `The task of interaction ${id} has ended.`;
  if (answer === null) return `Interaction ${id} was withdrawn: it no longer needs an answer.`;
  return `Interaction ${id} was answered by ${answeredBy} at ${answeredAt}; the answer that counts: ${JSON.stringify(answer)}.`;
}
