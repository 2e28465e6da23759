/* global document, window, KeyboardEvent, MutationObserver -- what stands in functions that run in the page */
/** What a person does, and what must come of it. */

import { signedIn } from '../session.mjs';

const approvals = async (stack) => (await stack.call('/v1/interactions?kind=approval&limit=200')).data;
const one = (stack, id) => stack.call(`/v1/interactions/${id}`);

/** Keys that were already on their way answer nothing that has just come into view, and letters and Enter never do. */
export async function answerTooEarly({ browser, stack, watch }) {
  const [ask] = await approvals(stack);
  const { context, page } = await signedIn({ browser, stack, watch }, '/settings');
  await page.addInitScript(pressAtOnce);
  await page.goto(`${stack.url}/inbox?ask=${ask.id}`);
  await page.waitForFunction(() => window.presses > 0 && window.pressingIsOver);
  for (const key of ['a', 'y', 'Enter', ' ']) await page.keyboard.press(key);
  await page.waitForTimeout(300);
  const presses = await page.evaluate(() => window.presses);
  const { state } = await one(stack, ask.id);
  await context.close();
  return { ok: state === 'pending', state, presses };
}

/** In the page: Ctrl Enter again and again, from the moment that an answer can be given until shortly before one counts. */
function pressAtOnce() {
  window.presses = 0;
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('.acts .btn.primary') === null) return;
    observer.disconnect();
    const since = performance.now();
    const press = () => {
      // Whoever is late, as on a busy machine, would answer what was seen for long enough.
      if (performance.now() - since > 300) {
        window.pressingIsOver = true;
        return;
      }
      window.presses += 1;
      const key = { key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true };
      document.dispatchEvent(new KeyboardEvent('keydown', key));
      setTimeout(press, 40);
    };
    press();
  }).observe(document, { subtree: true, childList: true });
}

/** Ctrl Enter allows exactly what is shown, once. */
export async function answerOnce({ browser, stack, watch }) {
  const [ask] = await approvals(stack);
  const { context, page } = await signedIn({ browser, stack, watch }, `/inbox?ask=${ask.id}`);
  await page.locator('.acts .btn.primary').waitFor();
  await page.waitForTimeout(600);
  await page.keyboard.press('Control+Enter');
  await page.locator('.askrow.done').first().waitFor();
  const { state, answer } = await one(stack, ask.id);
  await context.close();
  return { ok: state === 'answered' && answer.decision === 'approve', state };
}

/** Two browsers answer the same: the first one counts, the second is told. */
export async function answerTwice({ browser, stack, watch }) {
  const [ask] = await approvals(stack);
  const first = await signedIn({ browser, stack, watch }, `/inbox?ask=${ask.id}`);
  const second = await signedIn({ browser, stack, watch }, `/inbox?ask=${ask.id}`);
  for (const { page } of [first, second]) {
    await page.locator('.acts .btn.primary').waitFor();
    await page.waitForTimeout(600);
  }
  await first.page.keyboard.press('d');
  const typed = await first.page.locator('dialog[open] textarea').inputValue();
  await first.page.locator('dialog[open] .btn.danger').click();
  await second.page.locator('.askrow.done').first().waitFor();
  const told = await second.page.locator('.askrow.done .m').first().innerText();
  const { answer } = await one(stack, ask.id);
  await Promise.all([first.context.close(), second.context.close()]);
  return { ok: answer.decision === 'deny' && typed === '' && told !== '', told };
}

/** With Hangul switched on, letters move as ever, and none is a shortcut in a text field. */
export async function typeKorean({ browser, stack, watch }) {
  const { context, page } = await signedIn({ browser, stack, watch }, '/inbox');
  await page.locator('.askrow').nth(1).waitFor();
  await page.evaluate(() =>
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ㅓ', code: 'KeyJ', bubbles: true })),
  );
  await page.waitForURL(/ask=/);
  const moved = await page.locator('.askrow').nth(1).getAttribute('class');
  await page.goto(`${stack.url}/tasks`);
  await page.locator('.search input').fill('jjc');
  await page.waitForURL(/q=jjc/);
  const stayed = page.url().includes('/tasks');
  await context.close();
  return { ok: (moved ?? '').includes('sel') && stayed };
}

/** Browsers open six connections to a host; seven tabs share one stream. */
export async function sevenTabs({ browser, stack, watch }) {
  const { context, page } = await signedIn({ browser, stack, watch }, '/tasks');
  const pages = [page];
  for (let at = 1; at < 7; at += 1) {
    const tab = await watch.page(context);
    await tab.goto(`${stack.url}/tasks`);
    pages.push(tab);
  }
  // A task that comes before the list is no news.
  for (const tab of pages) await tab.locator('.tasks tbody tr').first().waitFor();
  const { id } = await stack.call('/v1/tasks', { prompt: 'Say hello', title: 'Seen in all tabs' });
  const began = performance.now();
  for (const tab of pages) await tab.locator('.newpill').waitFor();
  const ms = Math.round(performance.now() - began);
  await context.close();
  return { ok: true, ms, id };
}
