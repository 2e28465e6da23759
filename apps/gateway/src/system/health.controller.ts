/** For supervisors: alive, ready. */
import { Readiness } from '@bullpen/contracts';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Public } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { ReadinessService } from './readiness.js';

const Alive = z.object({ status: z.literal('ok') });

@ApiTags('system')
@Controller()
export class HealthController {
  constructor(private readonly readiness: ReadinessService) {}

  @Get('healthz')
  @Public()
  @ApiRoute({
    summary: 'The process is alive',
    description: 'Checks nothing else: a lost database is no reason to restart.',
    answer: Alive,
  })
  getHealth(): z.infer<typeof Alive> {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Public()
  @ApiRoute({ summary: 'The gateway is ready', answer: Readiness })
  @ApiResponse({
    status: 503,
    description: 'Something is missing; the checks say what.',
    standardSchema: Readiness,
  })
  async getReadiness(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.readiness.check();
    void reply.code(readiness.status === 'ready' ? 200 : 503);
    return readiness;
  }
}
