/** The commands of agents as processes. */
import { OutputQuery, PageQuery, ProcessOutput, ProcessPage, ProcessView } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { ProcessIdPipe, TaskIdPipe } from '../http/id-pipes.js';
import { ProcessesService } from './processes.service.js';

@ApiTags('processes')
@Controller('v1')
export class ProcessesController {
  constructor(private readonly processes: ProcessesService) {}

  @Get('tasks/:id/processes')
  @ApiRoute({ summary: 'Processes of a task, newest first', answer: ProcessPage, problems: ['not_found'] })
  listProcesses(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<ProcessPage> {
    return this.processes.list(principal, id, query);
  }

  @Get('processes/:id')
  @ApiRoute({ summary: 'One process', answer: ProcessView, problems: ['not_found'] })
  getProcess(
    @CurrentPrincipal() principal: Principal,
    @Param('id', ProcessIdPipe) id: string,
  ): Promise<ProcessView> {
    return this.processes.get(principal, id);
  }

  @Get('processes/:id/output')
  @ApiRoute({
    summary: 'A range of the output of a process',
    description:
      'Also while it runs: `to` is where to read on. All of it is kept up to 64 MiB; of more, the first and the newest half, and `leftOut` ' +
      'says what is missing. It lies in the home folder of the machine that the process runs on; where the gateway has another one, the answer is 409 and names it.',
    answer: ProcessOutput,
    problems: ['not_found', 'output_elsewhere', 'output_gone'],
  })
  getProcessOutput(
    @CurrentPrincipal() principal: Principal,
    @Param('id', ProcessIdPipe) id: string,
    @Query({ schema: OutputQuery }) query: OutputQuery,
  ): Promise<ProcessOutput> {
    return this.processes.output(principal, id, query);
  }

  @Post('processes/:id/kill')
  @ApiRoute({
    summary: 'End a process with everything that it started',
    description:
      'It is asked to end (SIGTERM) and, five seconds later, killed. The answer does not wait for that; a process that has ended stays as it is. Its agent is told.',
    answer: ProcessView,
    problems: ['not_found'],
  })
  killProcess(
    @CurrentPrincipal() principal: Principal,
    @Param('id', ProcessIdPipe) id: string,
  ): Promise<ProcessView> {
    return this.processes.kill(principal, id);
  }

  @Post('processes/:id/background')
  @ApiRoute({
    summary: 'Let a process go on in the background',
    description:
      'Its agent stops waiting for it, goes on at once, and is told when it ends. It may then run for an hour, unless it was given more.',
    answer: ProcessView,
    problems: ['not_found', 'process_ended'],
  })
  moveProcessToBackground(
    @CurrentPrincipal() principal: Principal,
    @Param('id', ProcessIdPipe) id: string,
  ): Promise<ProcessView> {
    return this.processes.toBackground(principal, id);
  }
}
