/** The agents of this installation. */
import { AgentList } from '@bullpen/contracts';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { AgentCatalogue } from './agent-catalogue.js';

@ApiTags('system')
@Controller('v1/agents')
export class AgentsController {
  constructor(private readonly agents: AgentCatalogue) {}

  @Get()
  @ApiRoute({ summary: 'Agents that a task can name', answer: AgentList })
  listAgents(): AgentList {
    return { data: this.agents.list() };
  }
}
