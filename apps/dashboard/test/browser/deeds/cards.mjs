/* global document, navigator -- what stands in functions that run in the page */
/** Tool calls as cards: many, large, long ones, and taking out of them what they hold. */
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { callEvents, taskWith } from '../record.mjs';
import { signedIn } from '../session.mjs';

const CARDS = 400;
const MOST_NODES = 4_000;
/** A place is kept to so many px. */
const STILL = 2;

const nodes = (page) => page.evaluate(() => document.getElementsByTagName('*').length);
const scrollTo = (page, share) =>
  page.locator('.log').evaluate((log, at) => {
    log.scrollTop = log.scrollHeight * at;
  }, share);

/** Four hundred folded cards with ten thousand characters each: what is folded is not drawn, and what was opened stays so, in its place. */
export async function foldedCards(given) {
  const { stack } = given;
  const events = Array.from({ length: CARDS }, (_, at) =>
    callEvents(at, { args: { command: `npm test ${at}` }, preview: `exit code 0\n${'x'.repeat(10_000)}` }),
  ).flat();
  const id = await taskWith(stack, 'Four hundred cards', events);
  const { context, page } = await signedIn(given, `/tasks/${id}`);
  const head = page.getByRole('button', { name: `npm test ${CARDS - 3}` });
  await head.waitFor();
  await page.locator('.log').hover();
  await page.mouse.wheel(0, -60);
  const before = (await head.boundingBox()).y;
  await head.click();
  await page.locator('.tool-body').waitFor();
  const movedPx = Math.round(Math.abs((await head.boundingBox()).y - before));
  let most = await nodes(page);
  for (const share of [0.6, 0.3, 0, 0.2, 0.5]) {
    await scrollTo(page, share);
    await page.waitForTimeout(150);
    most = Math.max(most, await nodes(page));
  }
  await page.locator('.newpill').click();
  await head.waitFor();
  const stayedOpen = (await head.getAttribute('aria-expanded')) === 'true';
  await context.close();
  return { ok: most < MOST_NODES && movedPx <= STILL && stayedOpen, nodes: most, movedPx, stayedOpen };
}

/** Arguments of 190,000 characters: drawn on demand and in part, copied and saved whole. */
export async function longArguments(given) {
  const rows = Array.from({ length: 2_500 }, (_, at) => ({ at, name: `row ${at}`, tags: ['a<b>', '"c"'] }));
  const args = { query: 'all', rows, blob: 'z'.repeat(60_000) };
  const call = callEvents(1, { tool: 'mcp__db__load', args, preview: 'loaded' });
  const id = await taskWith(given.stack, 'Long arguments', call);
  const { context, page } = await signedIn(given, `/tasks/${id}`);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const head = page.getByRole('button', { name: 'mcp__db__load' });
  await head.waitFor();
  const folded = await nodes(page);
  await head.click();
  const section = page.getByRole('region', { name: 'Arguments' });
  await section.getByText('more characters').waitFor();
  const opened = await nodes(page);
  await section.getByRole('button', { name: 'Copy' }).click();
  await section.getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    section.getByRole('button', { name: 'Download' }).click(),
  ]);
  const stored = await readFile(await saved.path(), 'utf8');
  await context.close();
  // The record has members in another order.
  const isAll = (text) => isDeepStrictEqual(JSON.parse(text), args);
  const isWhole = { copied: isAll(copied), saved: isAll(stored) };
  return { ok: isWhole.copied && isWhole.saved && opened - folded < 400, ...isWhole, drawn: opened - folded };
}

/** A word in line 9,000 of 12,000 is found, though it was never drawn; and what looks like markup is shown to the letter. */
export async function findInOutput(given) {
  const { stack } = given;
  const command = `seq 1 12000 | sed '9000s/.*/the needle/;11999s/.*/Token: <abc> Map<String, int> a<b/'`;
  const { id } = await stack.submit({
    prompt: `Run \`${command}\``,
    title: 'A long output',
    approvals: { alwaysAllowExecute: true },
    rules: { commands: { allow: ['*'] } },
  });
  await stack.becomes(id, 'completed');
  const { context, page } = await signedIn(given, `/tasks/${id}`);
  await page.getByRole('button', { name: 'run_command' }).first().click();
  await page.getByText('Token: <abc> Map<String, int> a<b', { exact: true }).waitFor();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('the needle');
  // The command has it too: the line is what comes before.
  await page.locator('.find [role=status]', { hasText: /of [2-9]/ }).waitFor();
  for (let step = 0; step < 4; step += 1) {
    if ((await page.locator('.out-line[data-here]').count()) > 0) break;
    await page.keyboard.press('Enter');
    await page.waitForTimeout(200);
  }
  const found = await page.locator('.out-line[data-here]').innerText();
  await context.close();
  return { ok: found === 'the needle', found };
}

/** Over plain HTTP in a network a browser has no clipboard: the older way does. */
export async function copyOldWay(given) {
  const id = await taskWith(
    given.stack,
    'To be copied',
    callEvents(1, { args: { a: 'first', b: 'second' }, preview: 'ok' }),
  );
  const { context, page } = await signedIn(given, '/tasks');
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.goto(`${given.stack.url}/tasks/${id}`);
  await page.getByRole('button', { name: 'run_command' }).click();
  await page.getByRole('region', { name: 'Arguments' }).getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied', { exact: true }).waitFor();
  await page.locator('.composer-field').click();
  await page.keyboard.press('Control+v');
  const pasted = await page.locator('.composer-field').inputValue();
  await context.close();
  return { ok: JSON.parse(pasted).b === 'second', pasted };
}
