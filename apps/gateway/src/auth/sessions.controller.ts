/** Signing a browser in: a one-time link, made with a key, is exchanged for a cookie. */
import { AppError, CreateSession, LoginLink, SessionView } from '@bullpen/contracts';
import { issueLoginCode, openSession, type Principal, type Prisma } from '@bullpen/store';
import { Body, Controller, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiRoute } from '../http/api-route.js';
import { AllowedHosts } from '../http/host-check.js';
import { GATEWAY_INFO, PRISMA, type GatewayInfo } from '../http/tokens.js';
import { CurrentPrincipal, Public } from './access.js';
import { sessionCookie } from './session-cookie.js';

@ApiTags('sign-in')
@Controller('v1')
export class SessionsController {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    private readonly hosts: AllowedHosts,
    @Inject(GATEWAY_INFO) private readonly gateway: GatewayInfo,
  ) {}

  @Post('login-links')
  @RouteConfig({ secretAnswer: true })
  @ApiRoute({
    summary: 'Make a login link for a browser',
    description: 'Works once, for five minutes. The session can do what the key can do, for twelve hours.',
    status: 201,
    answer: LoginLink,
  })
  async createLoginLink(@CurrentPrincipal() { keyId }: Principal): Promise<LoginLink> {
    const { secret, expiresAt } = await issueLoginCode(this.prisma, keyId);
    return { url: `${this.gateway.url()}/login#${secret}`, expiresAt: expiresAt.toISOString() };
  }

  @Post('sessions')
  @Public()
  @ApiRoute({
    summary: 'Exchange the code of a login link for a session cookie',
    status: 201,
    answer: SessionView,
    problems: ['invalid_json', 'body_too_large', 'unsupported_media_type', 'unauthorized'],
  })
  async createSession(
    @Body({ schema: CreateSession }) { code }: CreateSession,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const { origin } = request.headers;
    if (origin !== undefined && !this.hosts.hasOrigin(origin))
      throw new AppError(
        'forbidden',
        'A session can only be opened from a page of this gateway (header Origin).',
      );
    const session = await openSession(this.prisma, code);
    if (session === null)
      throw new AppError('unauthorized', 'This login link was used before, or is older than five minutes.', {
        nextActions: [{ action: 'login_link.create' }],
      });
    void reply.header('set-cookie', sessionCookie(session.secret, this.gateway.url().startsWith('https:')));
    return { expiresAt: session.expiresAt.toISOString() };
  }
}
