/** Provider keys: how they stand, and the word that a parked one has been seen to. */
import { ProviderKeyList, ProviderKeyView, ResumeProvider } from '@bullpen/contracts';
import type { ProviderKeys } from '@bullpen/store';
import { Body, Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NeedsScope } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { ProviderIdPipe } from '../http/id-pipes.js';
import { notFound } from '../http/problem.js';
import { PROVIDER_KEYS } from '../http/tokens.js';

@ApiTags('system')
@Controller('v1/providers')
export class ProvidersController {
  constructor(@Inject(PROVIDER_KEYS) private readonly keys: ProviderKeys) {}

  @Get()
  @ApiRoute({
    summary: 'Provider keys and their state',
    description:
      'A key is identified by a fingerprint; only the workers know the key itself. Shows the keys that are in use, waited for, paused or parked.',
    answer: ProviderKeyList,
  })
  async listProviders(): Promise<ProviderKeyList> {
    return { data: await this.keys.list() };
  }

  @Post(':id/resume')
  @NeedsScope('admin')
  @ApiRoute({
    summary: 'Resume a provider key',
    description:
      'For use after the key, the credit or the spend limit was fixed. Also ends a pause. All tasks that wait for the key go on.',
    answer: ProviderKeyView,
    idempotent: true,
    problems: ['not_found'],
  })
  async resumeProvider(
    @Param('id', ProviderIdPipe) id: string,
    @Body({ schema: ResumeProvider.prefault({}) }) _body: ResumeProvider,
  ): Promise<ProviderKeyView> {
    const known = await this.keys.resume(id);
    if (known === null) throw notFound('provider key', id);
    return known;
  }
}
