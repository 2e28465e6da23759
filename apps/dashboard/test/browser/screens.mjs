/* global document, window, requestAnimationFrame -- what stands in functions that run in the page */
/** Every screen in every look, with a picture and a look of axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDE = { width: 1440, height: 900 };
const NARROW = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

export const LIGHT = { name: 'light', options: { colorScheme: 'light', viewport: WIDE } };
export const LOOKS = [
  LIGHT,
  { name: 'dark', options: { colorScheme: 'dark', viewport: WIDE } },
  { name: 'phone', options: { colorScheme: 'light', ...NARROW } },
  { name: 'korean', options: { colorScheme: 'light', viewport: WIDE, locale: 'ko-KR' } },
];

/** All that the four show of colours and widths, in two. */
export const SHORT_LOOKS = [LIGHT, { name: 'dark-phone', options: { colorScheme: 'dark', ...NARROW } }];

export const PLACES = ['inbox', 'tasks', 'new', 'queues', 'failures', 'usage', 'settings'].map((name) => ({
  name,
  path: `/${name}`,
}));

const OVERLAYS = [
  { name: 'palette', path: '/tasks', keys: 'Control+k' },
  { name: 'help', path: '/tasks', keys: '?' },
];
const MISSING = { name: 'missing', path: '/tasks/task_nowhere' };

/** What is seen before anything has happened. */
export const EMPTY_SCREENS = [...PLACES, ...OVERLAYS, MISSING, { name: 'login', path: '/login' }];

/** What is seen of tasks: one with hostile texts, one that failed, one that changed files, and one for outsiders. */
export function screensOf({ hostile, failed, changed, shared }) {
  const parts = ['changes', 'cost', 'path', 'raw', 'tree', 'details'];
  return [
    ...[...PLACES, ...OVERLAYS, MISSING, { name: 'login', path: '/login' }],
    { name: 'modes', path: '/modes?mode=implementation' },
    { name: 'task', path: `/tasks/${hostile}` },
    { name: 'task-failed', path: `/tasks/${failed}` },
    ...parts.map((part, at) => ({ name: `task-${part}`, path: `/tasks/${changed}`, tab: at + 1 })),
    { name: 'shared', path: shared },
  ];
}

/** Two at a time: most of it is waiting. */
export async function visitScreens(given, looks, screens, suffix = '') {
  for (const look of looks) {
    const context = await given.browser.newContext(look.options);
    await given.stack.signIn(await given.watch.page(context));
    await twoAtATime(screens, async (screen) => {
      const page = await given.watch.page(context);
      if (await goTo(given.stack.url, page, screen))
        await record(given, page, [screen.name, look.name, suffix].filter(Boolean).join('-'));
      await page.close();
    });
    await context.close();
  }
}

/** False when there is no such screen in this look: wide windows have no tabs for what has a column. */
async function goTo(url, page, { path, keys, tab }) {
  await page.goto(path.startsWith('http') ? path : url + path);
  await page.locator('h1, .blank, .note').first().waitFor();
  await settled(page);
  if (keys !== undefined) {
    await page.keyboard.press(keys);
    await page.locator('dialog[open]').waitFor();
  }
  if (tab !== undefined) {
    const button = page.locator('.tabs button').nth(tab);
    if (!(await button.isVisible())) return false;
    await button.click();
    // What it shows is loaded now, code and data.
    await page.waitForTimeout(400);
    await settled(page);
  }
  return true;
}

/** Nothing is on its way any more, as far as one can see. */
async function settled(page) {
  await page.waitForLoadState('load');
  await page.waitForTimeout(250);
  await page.waitForFunction(() => document.querySelector('.skel') === null);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** A picture, and what axe says of it. */
export async function record({ out, report, log }, page, name) {
  await page.screenshot({ path: join(out, `${name}.png`) });
  report.screens += 1;
  // In another language the page is built alike.
  if (name.endsWith('-korean')) return;
  const found = await seriousFaults(page);
  report.axeSerious += found.length;
  for (const fault of found) log(`${name}: ${fault}`);
}

export async function twoAtATime(items, work) {
  const left = [...items];
  const next = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([next(), next()]);
}

async function seriousFaults(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html }) => html.slice(0, 140))
          .slice(0, 3)
          .join(' | ')}`,
    );
}
