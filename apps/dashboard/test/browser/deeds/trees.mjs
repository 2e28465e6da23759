/** Going back, going another way, ending a whole tree, and holding the queue. */
import { signedIn } from '../session.mjs';
import { until } from '../until.mjs';

const MAY_WRITE = { approvals: { alwaysAllowWrite: true } };

async function wroteTwice(stack) {
  const { id } = await stack.submit({ prompt: 'Write two files', ...MAY_WRITE });
  await stack.becomes(id, 'completed');
  return id;
}

/** The files of an earlier state come back, and the conversation with them. */
export async function restoreCheckpoint(given) {
  const { stack } = given;
  const id = await wroteTwice(stack);
  const { context, page } = await signedIn(given, `/tasks/${id}`);
  const row = page.locator('li').filter({ hasText: 'After turn 1' }).filter({ hasText: 'Restore' });
  await row.getByRole('button', { name: 'Restore…' }).click();
  const dialog = page.locator('dialog[open]');
  await dialog.getByLabel('Both').check();
  const look = dialog.getByText('second.txt');
  await look.waitFor();
  await dialog.getByRole('button', { name: 'Restore both' }).click();
  await page
    .locator('.log')
    .getByText(/restored/i)
    .last()
    .waitFor();
  await context.close();
  const { data } = await stack.call(`/v1/tasks/${id}/checkpoints`);
  const newest = data.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).at(-1);
  return {
    ok: newest.reason === 'restore' && newest.files === 1,
    files: newest.files,
    reason: newest.reason,
  };
}

/** A new task goes on from an earlier state with a word of one's own; the first one stays as it is. */
export async function forkCheckpoint(given) {
  const { stack } = given;
  const id = await wroteTwice(stack);
  const before = await stack.task(id);
  const { context, page } = await signedIn(given, `/tasks/${id}`);
  const row = page.locator('li').filter({ hasText: 'After turn 1' }).filter({ hasText: 'Restore' });
  await row.getByRole('button', { name: 'Fork…' }).click();
  const dialog = page.locator('dialog[open]');
  await dialog.getByRole('textbox').fill('Go another way from here');
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await page.waitForURL((url) => /\/tasks\/task_/.test(url.pathname) && !url.pathname.endsWith(id));
  const forkId = page.url().split('/').at(-1);
  await page.getByText('Go another way from here').first().waitFor();
  const { state } = await stack.becomes(forkId, 'completed');
  await context.close();
  const after = await stack.task(id);
  const isUntouched = after.turns === before.turns && after.attempt === before.attempt;
  return { ok: state === 'completed' && isUntouched, forkId };
}

/** The dialog says how many end; then all of them have, and no tool of theirs starts any more. */
export async function cancelTree(given) {
  const { stack } = given;
  const approvals = { alwaysAllowSubtasks: true };
  const { id } = await stack.submit({ prompt: 'Delegate to 3', approvals });
  const tree = async () => (await stack.call(`/v1/tasks/${id}/tree`)).tasks;
  const under = async (state) =>
    (await tree()).filter((task) => task.parentId !== null && task.state === state);
  await until(async () => (await under('running')).length === 3, 'three subtasks at work');
  const { context, page } = await signedIn(given, `/tasks/${id}`);
  await page.getByRole('button', { name: 'Cancel…' }).click();
  const act = page.locator('dialog[open]').getByRole('button', { name: /^Cancel \d+ tasks$/ });
  const said = await act.innerText();
  await act.click();
  await until(
    async () => (await tree()).every(({ state }) => state === 'cancelled'),
    'the whole tree to end',
  );
  await page.locator('.thead .st').getByText('cancelled').waitFor();
  await context.close();
  return { ok: said === 'Cancel 4 tasks', said };
}

/** A paused queue takes in and hands out nothing; resumed, it goes on with what came meanwhile. */
export async function pauseQueue(given) {
  const { stack } = given;
  const { context, page } = await signedIn(given, '/queues');
  await page.locator('.topbar').getByRole('button', { name: 'Pause' }).click();
  const dialog = page.locator('dialog[open]');
  await dialog.getByRole('textbox').fill('Looking at something');
  await dialog.locator('.btn.danger').click();
  const resume = page.locator('.topbar').getByRole('button', { name: 'Resume' });
  await resume.waitFor();
  const { id } = await stack.submit({ prompt: 'Say hello', title: 'Came while paused' });
  await page.waitForTimeout(1_500);
  const { state } = await stack.task(id);
  await resume.click();
  await stack.becomes(id, 'completed');
  await context.close();
  return { ok: state === 'queued', state };
}
