/** The first page: what this is, how it is doing, what to do next. Plain HTML until the dashboard takes its place. */
import { countTasksByState, getSystemState, type Principal, type Prisma } from '@bullpen/store';
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CurrentPrincipal, Public } from '../auth/access.js';
import { html, joinHtml, page, STYLE } from '../http/html.js';
import { GATEWAY_INFO, PRISMA, type GatewayInfo } from '../http/tokens.js';

@ApiExcludeController()
@Controller()
export class HomeController {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(GATEWAY_INFO) private readonly gateway: GatewayInfo,
  ) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', 'no-store')
  async show(@CurrentPrincipal() { tenantId }: Principal): Promise<string> {
    const [counts, { workers, simulated }] = await Promise.all([
      countTasksByState(this.prisma, tenantId),
      getSystemState(this.prisma),
    ]);
    const rows = Object.entries(counts).map(
      ([state, count]) =>
        html`<tr>
          <td>${state}</td>
          <td>${count}</td>
        </tr>`,
    );
    const url = this.gateway.url();
    return page(
      'Bullpen',
      html`<p>Runs fleets of long-running AI agents on your own machines. Version ${this.gateway.version}.</p>
        ${simulated || this.gateway.modelSimulated ? html`<p><strong>The local model simulator answers, not Claude.</strong></p>` : ''}
        <p>Worker processes alive: ${workers.length}.</p>
        ${
          rows.length > 0
            ? html`<table>
                ${joinHtml(rows)}
              </table>`
            : html`<p>There are no tasks yet.</p>`
        }
        <p><a href="/docs">API reference</a> · <a href="/admin/queues">Queue dashboard</a></p>
        <p>Submit a task and watch it, in the folder of Bullpen:</p>
        <pre>
npx bullpen run "Say hello"
curl ${url}/v1/tasks \\
  -H "Authorization: Bearer $(cat .bullpen/key)" \\
  -H "Content-Type: application/json" -d '{"prompt": "Say hello"}'</pre>`,
    );
  }

  @Get('style.css')
  @Public()
  @Header('content-type', 'text/css; charset=utf-8')
  @Header('cache-control', 'no-cache')
  style(): string {
    return STYLE;
  }
}
