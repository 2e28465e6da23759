/* global localStorage -- what stands in functions that run in the page */
/** What goes out and comes in, and what is set: shares, imports, the policy, the columns of the list. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callEvents, taskWith } from '../record.mjs';
import { signedIn } from '../session.mjs';

const SECRET = 'tok_live_51xyzabcdefgh123456';

/** Before a task goes out one sees every masked place, and the secret in none of them; its link can be ended. */
export async function lookBeforeSharing(given) {
  const preview = `export FOO_TOKEN=${SECRET}\n/home/mina/app`;
  const id = await taskWith(
    given.stack,
    'With a secret',
    callEvents(1, { args: { command: 'env' }, preview }),
  );
  const { context, page } = await signedIn(given, `/tasks/${id}`);
  await page.getByRole('button', { name: 'Share or export' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('.masked li').nth(1).waitFor();
  const places = await dialog.locator('.masked').innerText();
  await dialog.getByRole('button', { name: 'Create a link' }).click();
  await dialog.getByText('/shared#').waitFor();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' });
  const { data } = await given.stack.call(`/v1/tasks/${id}/shares`);
  await context.close();
  const masks = places.includes('[hidden]') && !places.includes(SECRET) && !places.includes('/home/mina');
  return { ok: masks && data[0].revokedAt !== null, masks };
}

/** What is no exported task is refused in words; a file is looked at, imported and shown. */
export async function importTask(given) {
  const { stack, out } = given;
  const source = await taskWith(
    stack,
    'From elsewhere',
    callEvents(1, { args: { command: 'ls' }, preview: 'a' }),
  );
  const file = join(out, 'exported.json');
  await writeFile(file, JSON.stringify(await stack.call(`/v1/tasks/${source}/export?format=json`)));
  const { context, page } = await signedIn(given, '/tasks');
  await page.getByRole('button', { name: 'Import…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('{"a": 1}');
  await dialog.getByText('not an exported task').waitFor();
  await dialog.locator('input[type=file]').setInputFiles(file);
  await dialog.getByText('From elsewhere').waitFor();
  await dialog.getByRole('button', { name: 'Import 1 task' }).click();
  await page.waitForURL(/\/tasks\/task_/);
  await page.locator('.thead .tag', { hasText: 'imported' }).waitFor();
  const { importedFrom } = await stack.task(page.url().split('/').at(-1));
  await context.close();
  return { ok: importedFrom !== null };
}

/** A layer of the policy is written, changed and removed. */
export async function writePolicy(given) {
  const { stack } = given;
  const { context, page } = await signedIn(given, '/settings');
  await page.getByRole('button', { name: 'New layer…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('For', { exact: true }).selectOption('project');
  await dialog.getByLabel('Folder of the project').fill('/srv/shop');
  await dialog.getByLabel('Change files', { exact: true }).selectOption('asks');
  await dialog.getByLabel('Commands that run', { exact: true }).fill('npm ci\n');
  await dialog.getByRole('button', { name: 'Save the layer' }).click();
  await page.getByRole('button', { name: 'Edit…' }).click();
  await dialog.getByLabel('Commands that never run', { exact: true }).fill('git push');
  await dialog.getByRole('button', { name: 'Save the layer' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { data } = await stack.call('/v1/policies');
  const { layer } = data.find(({ key }) => key === '/srv/shop');
  await page.getByRole('button', { name: 'Remove…' }).click();
  await dialog.getByRole('button', { name: 'Remove the layer' }).click();
  await dialog.waitFor({ state: 'detached' });
  const left = (await stack.call('/v1/policies')).data.length;
  await context.close();
  const { allow, deny } = layer.rules.commands;
  const isWritten =
    layer.approvals.alwaysAllowWrite === false && allow[0] === 'npm ci' && deny[0] === 'git push';
  return { ok: isWritten && left === 0, isWritten, left };
}

/** A column is drawn to a width and another one shown; both are remembered. */
export async function drawColumns(given) {
  const { context, page } = await signedIn(given, '/tasks');
  const head = page.locator('th.c-agent');
  await head.waitFor();
  const before = (await head.boundingBox()).width;
  const { x, y } = await head.locator('.grip').boundingBox();
  await page.mouse.move(x + 4, y + 10);
  await page.mouse.down();
  await page.mouse.move(x - 76, y + 10, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Tags' }).click();
  await page.reload();
  await page.locator('th.c-tags').waitFor();
  const grown = Math.round((await head.boundingBox()).width - before);
  await page.evaluate(() => localStorage.removeItem('bullpen.columns'));
  await context.close();
  return { ok: grown === 80, grown };
}
