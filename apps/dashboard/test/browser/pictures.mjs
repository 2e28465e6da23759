/** The pictures of the README, taken of the real product while scripted agents work in it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FILES } from './bug-fix.mjs';
import { signedIn } from './session.mjs';

const MOST_BYTES = 200_000;
const VIEWS = { task: { width: 1360, height: 1100 }, inbox: { width: 1280, height: 800 } };

/** Writes a light and a dark picture of a task and of the inbox into the folder. */
export async function takePictures(given, folder) {
  const { stack } = given;
  const repository = makeRepository();
  try {
    const shown = await work(stack, repository);
    mkdirSync(folder, { recursive: true });
    const files = [];
    for (const colorScheme of ['light', 'dark']) {
      const { context, page } = await signedIn(given, `/tasks/${shown.id}`, {
        colorScheme,
        viewport: VIEWS.task,
      });
      const name = (screen) => join(folder, `${screen}${colorScheme === 'dark' ? '-dark' : ''}.png`);
      await page.locator('.ask .cmd').waitFor();
      await settles(page);
      files.push(await take(page, name('task')));
      await page.setViewportSize(VIEWS.inbox);
      await page.goto(`${stack.url}/inbox?ask=${shown.ask.id}`);
      await page.locator('.acts .btn.primary').waitFor();
      await settles(page);
      files.push(await take(page, name('inbox')));
      await context.close();
    }
    const bytes = files.map((file) => statSync(file).size);
    return { ok: bytes.every((size) => size < MOST_BYTES), bytes };
  } finally {
    rmSync(repository, { recursive: true, force: true });
  }
}

/** Four tasks that wait for a person, the one that is shown last: the inbox has the oldest first. */
async function work(stack, path) {
  const begin = async (title, prompt, more) => {
    const workspace = { kind: 'path', path };
    const { id } = await stack.submit({ title, prompt, workspace, autonomy: 'agent', ...more });
    return { id, ask: await stack.ask(id) };
  };
  const approvals = { alwaysAllowWrite: true, alwaysAllowExecute: true, alwaysAllowSubtasks: true };
  await begin('Move the settings page to the new form library', 'Move the settings page', {
    autonomy: 'plan',
  });
  await begin('Remove the endpoint /v1/import', 'Remove the endpoint /v1/import, and what only it uses.');
  await begin('Write down how dates are made', 'Write down how dates are made, for whoever comes next.');
  return begin(
    'Invoices of the evening carry tomorrow’s date',
    'Invoices of the evening carry the date of the next day when the customer is in Lima. Find out why and fix it, in a branch.',
    { approvals },
  );
}

function makeRepository() {
  const folder = mkdtempSync(join(tmpdir(), 'invoices-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const me = ['-c', 'user.name=Mina', '-c', 'user.email=mina@invoices.example'];
  const git = (...args) => execFileSync('git', ['-C', folder, ...me, ...args], { stdio: 'ignore' });
  git('init', '--initial-branch', 'fix/invoice-date');
  git('add', '.');
  git('commit', '--message', 'Invoices and receipts');
  return folder;
}

async function settles(page) {
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined);
  await page.waitForTimeout(500);
}

async function take(page, path) {
  await page.screenshot({ path });
  return path;
}
