/** Tenants: who shares the installation, with which weight and limit. For those who operate it. */
import {
  AppError,
  CreateTenant,
  CreateTenantKey,
  TenantKey,
  TenantList,
  TenantView,
  UpdateTenant,
} from '@bullpen/contracts';
import { Announcer } from '@bullpen/queue';
import {
  createTenant,
  getTenant,
  listTenants,
  newApiKey,
  registerApiKey,
  updateTenant,
  type Prisma,
} from '@bullpen/store';
import { Body, Controller, Get, Inject, Param, Patch, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { TenantIdPipe } from '../http/id-pipes.js';
import { notFound } from '../http/problem.js';
import { PRISMA } from '../http/tokens.js';

/** All fields have a default. */
const KeyBody = CreateTenantKey.prefault({});

@ApiTags('tenants')
@Controller('v1/tenants')
export class TenantsController {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(Announcer) private readonly announcer: Announcer,
  ) {}

  @Get()
  @RouteConfig({ scope: 'admin' })
  @ApiRoute({ summary: 'All tenants, with their share and what they are running', answer: TenantList })
  async listTenants(): Promise<TenantList> {
    return { data: await listTenants(this.prisma) };
  }

  @Post()
  @RouteConfig({ scope: 'admin' })
  @ApiRoute({
    summary: 'Create a tenant',
    description: 'It has no key yet: create one with `POST /v1/tenants/{id}/keys`.',
    status: 201,
    answer: TenantView,
    idempotent: true,
    problems: ['already_exists'],
  })
  async createTenant(@Body({ schema: CreateTenant }) body: CreateTenant): Promise<TenantView> {
    if (await createTenant(this.prisma, body)) return this.view(body.id);
    throw new AppError('already_exists', `There is already a tenant "${body.id}".`, {
      nextActions: [{ action: 'tenant.update', tenantId: body.id }],
    });
  }

  @Patch(':id')
  @RouteConfig({ scope: 'admin' })
  @ApiRoute({
    summary: 'Change the name, weight or limit of a tenant',
    description: 'Applies to what starts from now on; nothing that is running is stopped.',
    answer: TenantView,
    problems: ['not_found', 'invalid_json', 'body_too_large', 'unsupported_media_type'],
  })
  async updateTenant(
    @Param('id', TenantIdPipe) id: string,
    @Body({ schema: UpdateTenant }) body: UpdateTenant,
  ): Promise<TenantView> {
    if (!(await updateTenant(this.prisma, id, body))) throw notFound('tenant', id);
    // A higher limit may make room at once.
    void this.announcer.dispatch();
    return this.view(id);
  }

  @Post(':id/keys')
  @RouteConfig({ scope: 'admin', secretAnswer: true })
  @ApiRoute({
    summary: 'Create an API key for a tenant',
    description: 'The key is shown only once: only its hash is kept.',
    status: 201,
    answer: TenantKey,
    problems: ['not_found', 'invalid_json', 'body_too_large', 'unsupported_media_type'],
  })
  async createTenantKey(
    @Param('id', TenantIdPipe) id: string,
    @Body({ schema: KeyBody }) { name, scopes }: CreateTenantKey,
  ): Promise<TenantKey> {
    const { id: tenantId } = await this.view(id);
    const key = newApiKey();
    await registerApiKey(this.prisma, { secret: key, tenantId, name, scopes });
    return { tenantId, name, scopes, key };
  }

  private async view(id: string): Promise<TenantView> {
    const tenant = await getTenant(this.prisma, id);
    if (tenant === null) throw notFound('tenant', id);
    return tenant;
  }
}
