/* global document, window -- what stands in functions that run in the page */
/** Every screen in every look, with a picture and a look of axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const LOOKS = [
  { name: 'light', options: { colorScheme: 'light', viewport: { width: 1440, height: 900 } } },
  { name: 'dark', options: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } } },
  {
    name: 'phone',
    options: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  },
  {
    name: 'korean',
    options: { colorScheme: 'light', viewport: { width: 1440, height: 900 }, locale: 'ko-KR' },
  },
];

function screensOf({ taskId }) {
  return [
    { name: 'inbox', path: '/inbox' },
    { name: 'tasks', path: '/tasks' },
    ...(taskId === null ? [] : [{ name: 'task', path: `/tasks/${taskId}` }]),
    { name: 'new', path: '/new' },
    { name: 'queues', path: '/queues' },
    { name: 'failures', path: '/failures' },
    { name: 'usage', path: '/usage' },
    { name: 'settings', path: '/settings' },
    { name: 'palette', path: '/tasks', keys: 'Control+k' },
    { name: 'help', path: '/tasks', keys: '?' },
    { name: 'missing', path: '/tasks/task_nowhere' },
  ];
}

export async function visitScreens({ browser, stack, watch, out, report, log }, looks, shown) {
  for (const look of looks) {
    const context = await browser.newContext(look.options);
    const page = await watch.page(context);
    await stack.signIn(page);
    for (const { name, path, keys } of screensOf(shown)) {
      await page.goto(stack.url + path);
      await page.locator('h1, .blank, .note').first().waitFor();
      await settled(page);
      if (keys !== undefined) {
        await page.keyboard.press(keys);
        await page.locator('dialog[open]').waitFor();
      }
      const file = [name, look.name, shown.suffix].filter((part) => part !== '').join('-');
      await page.screenshot({ path: join(out, `${file}.png`) });
      report.screens += 1;
      if (look.name === 'korean') continue;
      const found = await seriousFaults(page);
      report.axeSerious += found.length;
      for (const fault of found) log(`${file}: ${fault}`);
    }
    await context.close();
  }
}

/** Nothing is on its way any more, as far as one can see. */
async function settled(page) {
  await page.waitForLoadState('load');
  await page.waitForTimeout(350);
  await page.waitForFunction(() => document.querySelector('.skel') === null);
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
