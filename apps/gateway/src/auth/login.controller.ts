/** The login page. The code is in the fragment of the link, which never leaves the browser except through the page's script. */
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { html, page, STYLE } from '../http/html.js';
import { Public } from './access.js';

/**
 * A link that is pasted into a tab with this page loads nothing, as only the fragment changes: so that is listened for. The code leaves the
 * address at once, so that going back brings no used link. Of several links, only the last one has a say.
 */
const SCRIPT = `
const status = document.getElementById('status');
const onward = document.getElementById('onward');
let newest = 0;

async function signIn(code) {
  newest += 1;
  const mine = newest;
  history.replaceState(null, '', '/login');
  onward.hidden = true;
  status.textContent = 'Signing in…';
  const problem = await redeem(code);
  if (mine !== newest) return;
  if (problem === null) return location.replace('/');
  status.textContent = problem;
  await showWayOn();
}

/** Null when it is signed in now, or else why not. */
async function redeem(code) {
  try {
    const response = await fetch('/v1/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    return response.ok ? null : (await response.json()).detail;
  } catch (error) {
    return 'The gateway does not answer: ' + error.message;
  }
}

/** The start page leads whoever is not signed in back here. */
async function showWayOn() {
  const start = await fetch('/', { headers: { accept: 'text/html' } }).catch(() => null);
  onward.hidden = start === null || !start.ok || start.redirected;
}

function look() {
  const code = location.hash.slice(1);
  if (code !== '') void signIn(code);
  else if (newest === 0) void showWayOn();
}

addEventListener('hashchange', look);
look();
`;

@ApiExcludeController()
@Controller()
export class LoginController {
  @Get('login')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', 'no-store')
  show(): string {
    return page(
      'Sign in',
      html`<p id="status">Open this page through a login link. It works once, for five minutes.</p>
        <p id="onward" hidden>This browser is already signed in: <a href="/">continue</a>.</p>
        <p>To make a link, type this on the machine of the gateway:</p>
        <pre>npx bullpen open</pre>
        <script src="/login/sign-in.js" defer></script>`,
    );
  }

  @Get('login/sign-in.js')
  @Public()
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Header('cache-control', 'no-cache')
  script(): string {
    return SCRIPT;
  }

  @Get('style.css')
  @Public()
  @Header('content-type', 'text/css; charset=utf-8')
  @Header('cache-control', 'no-cache')
  style(): string {
    return STYLE;
  }
}
