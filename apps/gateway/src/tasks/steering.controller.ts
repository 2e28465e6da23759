/** Speaking to a task: messages until they are read, and taking back what was said. */
import { EditMessage, InboxMessageView, RewindReport, RewindTask, SendMessage } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Delete, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { InboxIdPipe, TaskIdPipe } from '../http/id-pipes.js';
import { SteeringService } from './steering.service.js';

@ApiTags('tasks')
@Controller('v1/tasks/:id')
export class SteeringController {
  constructor(private readonly steering: SteeringService) {}

  @Post('messages')
  @ApiRoute({
    summary: 'Send a message to a task',
    description:
      'Messages are kept in order and delivered at the next turn boundary; until then each can be changed or withdrawn. `strategy` says what happens to the current turn: ' +
      '`queue` (default) lets it finish; `interrupt` cuts it off and tells the agent that its calls were interrupted; `rollback` drops it from the conversation and tells the agent which of ' +
      'its calls had run, because what they did stays done; `reject` refuses the message with `task_busy`, unless the task is waiting for one or is paused. ' +
      'A root that has ended, in whatever way, goes on with the message in a new attempt: the same task with the same history, and other `limits` if they are given.',
    status: 201,
    answer: InboxMessageView,
    idempotent: true,
    problems: ['not_found', 'task_busy', 'not_retryable'],
  })
  sendMessage(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: SendMessage }) body: SendMessage,
    @Req() request: FastifyRequest,
  ): Promise<InboxMessageView> {
    return this.steering.send(principal, id, body, request.idempotency);
  }

  @Patch('messages/:messageId')
  @ApiRoute({
    summary: 'Change a message that the agent has not read',
    description: 'Either the agent reads the new text, or the answer is `message_delivered`.',
    answer: InboxMessageView,
    problems: ['not_found', 'task_finished', 'message_delivered', 'message_withdrawn'],
  })
  editMessage(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Param('messageId', InboxIdPipe) messageId: string,
    @Body({ schema: EditMessage }) body: EditMessage,
  ): Promise<InboxMessageView> {
    return this.steering.edit(principal, id, messageId, body);
  }

  @Delete('messages/:messageId')
  @ApiRoute({
    summary: 'Withdraw a message that the agent has not read',
    description: 'It stays in the list, with the time of its withdrawal. Safe to repeat.',
    answer: InboxMessageView,
    problems: ['not_found', 'task_finished', 'message_delivered'],
  })
  withdrawMessage(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Param('messageId', InboxIdPipe) messageId: string,
  ): Promise<InboxMessageView> {
    return this.steering.withdraw(principal, id, messageId);
  }

  @Post('rewind')
  @ApiRoute({
    summary: 'Take back the newest part of a conversation',
    description:
      '`turns` drops the newest exchanges from what the model is sent: messages of the user with everything that came after them; `messageId` drops everything from that message on; ' +
      '`answers` drops the newest answers of the agent with the results of their calls. The task must be waiting for a message, be paused, or have failed; a failed task goes on with a retry, ' +
      'and keeps its beginning. Nothing is deleted: the history marks what was dropped; usage and what tools did stay. Open calls and questions in the dropped part end, ' +
      'and subtasks that it started are cancelled.',
    answer: RewindReport,
    idempotent: true,
    problems: ['not_found', 'task_finished', 'task_busy', 'not_rewindable'],
  })
  rewindTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: RewindTask }) body: RewindTask,
  ): Promise<RewindReport> {
    return this.steering.rewind(principal, id, body);
  }
}
