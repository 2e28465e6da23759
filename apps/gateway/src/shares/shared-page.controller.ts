/** The page of a link. The token is in the fragment, which stays in the browser; everything is written as text, and nothing but this gateway is asked. */
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../auth/access.js';
import { html, page } from '../http/html.js';

const SCRIPT = `
const tasks = document.getElementById('tasks');
const status = document.getElementById('status');
const headers = { authorization: 'Bearer ' + location.hash.slice(1) };

function put(parent, name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  // What is wider than the window is scrolled by keyboard, too.
  if (name === 'pre') element.tabIndex = 0;
  parent.append(element);
  return element;
}

async function get(path) {
  const response = await fetch(path, { headers, credentials: 'omit' });
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail);
  return body;
}

function show(parent, { type, data }) {
  if (type === 'message.user') put(parent, 'h3', 'User'), put(parent, 'pre', data.text);
  if (type === 'message.agent' && data.text) put(parent, 'h3', 'Agent, turn ' + data.turn), put(parent, 'pre', data.text);
  if (type === 'tool.started') put(parent, 'h4', data.tool), put(parent, 'pre', JSON.stringify(data.arguments, null, 2));
  if (type === 'tool.finished') put(parent, 'pre', data.preview);
}

async function showTask(task) {
  const part = put(tasks, 'section', '');
  put(part, 'h2', task.title);
  put(part, 'p', task.agent + ', ' + task.model + ', ' + task.state);
  let after = '0';
  while (after !== null) {
    const events = await get('/v1/shared/events?taskId=' + task.id + '&after=' + after);
    for (const event of events.data) show(part, event);
    after = events.nextAfter;
  }
}

async function start() {
  try {
    const tree = await get('/v1/shared');
    status.textContent = 'Shared until ' + new Date(tree.expiresAt).toLocaleString() + '. Keys, tokens and home folders are masked.';
    for (const task of tree.tasks) await showTask(task);
  } catch (error) {
    status.textContent = error.message;
  }
}

addEventListener('hashchange', () => location.reload());
void start();
`;

@ApiExcludeController()
@Controller('shared')
export class SharedPageController {
  @Get()
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', 'no-store')
  show(): string {
    return page(
      'Shared task',
      html`<p id="status">Loading…</p>
        <div id="tasks"></div>
        <script src="/shared/show.js" defer></script>`,
    );
  }

  @Get('show.js')
  @Public()
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Header('cache-control', 'no-cache')
  script(): string {
    return SCRIPT;
  }
}
