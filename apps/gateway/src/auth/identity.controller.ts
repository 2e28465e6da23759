/** Who asks, and the keys of the tenant. */
import { ApiKeyList, CreateTenantKey, Deleted, Identity, TenantKey } from '@bullpen/contracts';
import {
  endSession,
  getIdentity,
  listApiKeys,
  newApiKey,
  registerApiKey,
  revokeApiKey,
  type Principal,
  type Prisma,
} from '@bullpen/store';
import { Body, Controller, Delete, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiRoute } from '../http/api-route.js';
import { KeyIdPipe } from '../http/id-pipes.js';
import { notFound } from '../http/problem.js';
import { PRISMA } from '../http/tokens.js';
import { CurrentPrincipal, NeedsScope } from './access.js';
import { endedCookie, readSessionCookie } from './session-cookie.js';

const KeyBody = CreateTenantKey.prefault({});

@ApiTags('sign-in')
@Controller('v1')
export class IdentityController {
  constructor(@Inject(PRISMA) private readonly prisma: Prisma) {}

  @Get('me')
  @ApiRoute({ summary: 'Who asks: the key of this request or session, and what it may do', answer: Identity })
  async getIdentity(@CurrentPrincipal() { keyId }: Principal): Promise<Identity> {
    const identity = await getIdentity(this.prisma, keyId);
    if (identity === null) throw notFound('key', keyId);
    return identity;
  }

  @Delete('sessions/current')
  @RouteConfig({ scope: 'read' })
  @ApiRoute({
    summary: 'Sign out: the session of this browser ends at once',
    description: 'With a key in place of a session nothing ends.',
    answer: Deleted,
  })
  async endSession(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Deleted> {
    const token = readSessionCookie(request.headers.cookie);
    if (token !== null) {
      await endSession(this.prisma, token);
      void reply.header('set-cookie', endedCookie());
    }
    return { id: 'current' };
  }

  @Get('api-keys')
  @NeedsScope('admin')
  @ApiRoute({ summary: 'The keys of your tenant, newest first', answer: ApiKeyList })
  async listApiKeys(@CurrentPrincipal() { tenantId }: Principal): Promise<ApiKeyList> {
    return { data: await listApiKeys(this.prisma, tenantId) };
  }

  @Post('api-keys')
  @RouteConfig({ scope: 'admin', secretAnswer: true })
  @ApiRoute({
    summary: 'Create an API key for your tenant',
    description: 'The key is shown only once: only its hash is kept.',
    status: 201,
    answer: TenantKey,
    problems: ['invalid_json', 'body_too_large', 'unsupported_media_type'],
  })
  async createApiKey(
    @CurrentPrincipal() { tenantId }: Principal,
    @Body({ schema: KeyBody }) { name, scopes }: CreateTenantKey,
  ): Promise<TenantKey> {
    const key = newApiKey();
    await registerApiKey(this.prisma, { secret: key, tenantId, name, scopes });
    return { tenantId, name, scopes, key };
  }

  @Delete('api-keys/:id')
  @NeedsScope('admin')
  @ApiRoute({
    summary: 'Revoke a key of your tenant',
    description: 'It and all sessions that were opened with it stop working at once.',
    answer: Deleted,
    problems: ['not_found'],
  })
  async revokeApiKey(
    @CurrentPrincipal() { tenantId }: Principal,
    @Param('id', KeyIdPipe) id: string,
  ): Promise<Deleted> {
    if (!(await revokeApiKey(this.prisma, tenantId, id))) throw notFound('key', id);
    return { id };
  }
}
