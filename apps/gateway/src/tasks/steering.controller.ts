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
      'Messages are kept in order and delivered at the next turn border; until then each can be changed or withdrawn. `strategy` says what becomes of the turn under way: ' +
      '`queue` (default) lets it end; `interrupt` cuts it off, and its calls are told to the agent as interrupted; `rollback` drops it from the conversation, and the calls of it that ' +
      'had run are named to the agent, because what they did stays done; `reject` refuses the message with `task_busy`, unless the task waits for one or is paused.',
    status: 201,
    answer: InboxMessageView,
    idempotent: true,
    problems: ['not_found', 'task_finished', 'task_busy'],
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
    description:
      'The agent reads the new text, or this answers `message_delivered`: there is nothing in between.',
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
    summary: 'Take the newest part of a conversation back',
    description:
      'With `turns` the newest exchanges are dropped from what the model is sent: messages of the user with all that came after them; with `messageId` all from that message on; ' +
      'with `answers` the newest answers of the agent with the results of their calls. The task must wait for a message, be paused, or have failed; what failed goes on with a retry, ' +
      'and keeps its beginning. Nothing is deleted: the history marks what was dropped, usage stays, and so does what tools did. Open calls and questions of it end, ' +
      'and subtasks that were started in it are cancelled.',
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
