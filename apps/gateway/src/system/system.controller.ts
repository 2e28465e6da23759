/** The state of the installation. */
import { SystemInfo } from '@bullpen/contracts';
import { countTasksByState, getSystemState, type Principal, type Prisma } from '@bullpen/store';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { GATEWAY_INFO, PRISMA, SETTINGS, type GatewayInfo, type GatewaySettings } from '../http/tokens.js';

@ApiTags('system')
@Controller('v1/system')
export class SystemController {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    @Inject(GATEWAY_INFO) private readonly gateway: GatewayInfo,
  ) {}

  @Get()
  @ApiRoute({ summary: 'Workers, tasks by state, repairs', answer: SystemInfo })
  async getSystem(@CurrentPrincipal() { tenantId }: Principal): Promise<SystemInfo> {
    const [state, tasks] = await Promise.all([
      getSystemState(this.prisma),
      countTasksByState(this.prisma, tenantId),
    ]);
    const { WORKSPACE_PATHS } = this.settings;
    return {
      version: this.gateway.version,
      queueBackend: this.gateway.queueBackend,
      model: {
        baseUrl: this.gateway.modelBaseUrl,
        simulated: this.gateway.modelSimulated || state.simulated,
      },
      workspacePaths: typeof WORKSPACE_PATHS === 'string' ? WORKSPACE_PATHS : 'listed',
      workers: state.workers,
      tasks,
      repairs: state.repairs,
    };
  }
}
