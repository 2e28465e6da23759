/** The inbox of approvals, questions, plans, and what else waits for a person. */
import {
  AnswerInteraction,
  BulkAnswer,
  BulkAnswerResult,
  InteractionPage,
  InteractionView,
  ListInteractions,
} from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { InteractionIdPipe } from '../http/id-pipes.js';
import { InteractionsService } from './interactions.service.js';

@ApiTags('interactions')
@Controller('v1/interactions')
export class InteractionsController {
  constructor(private readonly interactions: InteractionsService) {}

  @Get()
  @ApiRoute({
    summary: 'What waits for a person',
    description:
      'Pending ones by default, oldest first, including those of subtasks: whoever submitted the root answers for the whole tree.',
    answer: InteractionPage,
  })
  listInteractions(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: ListInteractions }) query: ListInteractions,
  ): Promise<InteractionPage> {
    return this.interactions.list(principal, query);
  }

  @Get(':id')
  @ApiRoute({ summary: 'One interaction', answer: InteractionView, problems: ['not_found'] })
  getInteraction(
    @CurrentPrincipal() principal: Principal,
    @Param('id', InteractionIdPipe) id: string,
  ): Promise<InteractionView> {
    return this.interactions.get(principal, id);
  }

  @Post(':id/answer')
  @HttpCode(200)
  @ApiRoute({
    summary: 'Answer an interaction',
    description:
      'The first answer counts; a later one gets 409 with the answer that counts. The task goes on within a second. `answer` of an ' +
      'approval: `{decision: approve|deny, arguments?, remarks?, remember?}`; question: `{choices?, text?}` or `{cancel: true}`; ' +
      'plan: `{decision: accept, autonomy?, plan?, steps?, remarks?}` or `{decision: revise, remarks}`; budget: `{decision: raise, limitUsd}` or `{decision: stop}`; ' +
      'mistakes: `{decision: continue, guidance?}` or `{decision: stop}`.',
    answer: InteractionView,
    idempotent: true,
    problems: ['not_found', 'interaction_closed', 'interaction_changed', 'invalid_answer'],
  })
  answerInteraction(
    @CurrentPrincipal() principal: Principal,
    @Param('id', InteractionIdPipe) id: string,
    @Body({ schema: AnswerInteraction }) body: AnswerInteraction,
    @Req() request: FastifyRequest,
  ): Promise<InteractionView> {
    return this.interactions.answer(principal, id, body, request.idempotency);
  }

  @Post('answers')
  @HttpCode(200)
  @ApiRoute({
    summary: 'Give many interactions the same answer',
    description:
      'Each is answered separately; those that do not accept the answer are listed with the reason.',
    answer: BulkAnswerResult,
    idempotent: true,
  })
  answerInteractions(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: BulkAnswer }) body: BulkAnswer,
  ): Promise<BulkAnswerResult> {
    return this.interactions.answerAll(principal, body);
  }
}
