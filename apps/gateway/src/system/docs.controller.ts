/** The API reference: the document itself and a page that renders it, without any help from other hosts. */
import { Controller, Get, Header, Headers } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../auth/access.js';
import { AllowedHosts } from '../http/host-check.js';
import { ApiDocument } from './api-document.js';

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <title>API reference · Bullpen</title>
  <link rel="icon" href="data:," />
  <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
</head>
<body>
  <div id="reference"></div>
  <script src="/docs/assets/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>`;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

@ApiExcludeController()
@Controller()
export class DocsController {
  constructor(
    private readonly document: ApiDocument,
    private readonly hosts: AllowedHosts,
  ) {}

  @Get('openapi.json')
  @Public()
  openapi(@Headers('host') host: string): object {
    return this.document.get(this.hosts.urlFor(host));
  }

  @Get('docs')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  page(): string {
    return PAGE;
  }

  @Get('docs/start.js')
  @Public()
  @Header('content-type', 'text/javascript; charset=utf-8')
  start(): string {
    return START;
  }
}
