/** The login page. The code is in the fragment of the link, which never leaves the browser except through the page's script. */
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { html, page } from '../http/html.js';
import { Public } from './access.js';

const SCRIPT = `
const code = location.hash.slice(1);
const status = document.getElementById('status');
async function signIn() {
  history.replaceState(null, '', '/login');
  status.textContent = 'Signing in…';
  const response = await fetch('/v1/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (response.ok) location.replace('/');
  else status.textContent = (await response.json()).detail;
}
if (code !== '') {
  signIn().catch((error) => {
    status.textContent = 'The gateway does not answer: ' + error.message;
  });
}
`;

@ApiExcludeController()
@Controller('login')
export class LoginController {
  @Get()
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', 'no-store')
  show(): string {
    return page(
      'Sign in',
      html`<p id="status">Open this page through a login link. It works once, for five minutes.</p>
        <p>To make one, type on the machine of the gateway:</p>
        <pre>npx bullpen open</pre>
        <script src="/login/sign-in.js" defer></script>`,
    );
  }

  @Get('sign-in.js')
  @Public()
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Header('cache-control', 'no-cache')
  script(): string {
    return SCRIPT;
  }
}
