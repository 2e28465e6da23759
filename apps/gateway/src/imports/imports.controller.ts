import { ImportTask, MAX_IMPORT_BYTES, TaskView } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { ImportsService } from './imports.service.js';

@ApiTags('tasks')
@Controller('v1/tasks')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  @Post('import')
  @RouteConfig({ bodyLimit: MAX_IMPORT_BYTES })
  @ApiRoute({
    summary: 'Import an exported task, to read it and to fork it',
    description:
      'Takes what `GET /v1/tasks/{id}/export?format=json` gives, with everything below it, up to 20 MiB. The copy has new ids and has ended; nothing of it runs here, and nothing that ' +
      'it used counts for this tenant. Keys, tokens and home folders are masked. Where it does not hold together it is refused as a whole.',
    status: 201,
    answer: TaskView,
    idempotent: true,
  })
  async importTask(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: ImportTask }) body: ImportTask,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TaskView> {
    const task = await this.imports.import(principal, body, request.idempotency);
    void reply.header('location', `/v1/tasks/${task.id}`);
    return task;
  }
}
