/* global document, window -- what stands in functions that run in the page */
/**
 * An agent that prints numbered lines, watched by one page while first its worker and then the gateway is killed. What counts is the text
 * of the page: every line once.
 */
import { lineOf } from '../agents.mjs';
import { signedIn } from '../session.mjs';

const LINES = 2_000;
const AT_ONCE = 250;
/** A message is drawn as a whole, so that none is passed over with steps of this size. */
const LESS_THAN_A_MESSAGE_PX = 2_000;

export async function loseNoLine(given) {
  const { stack } = given;
  const { id } = await stack.submit({
    prompt: `Print ${LINES} lines, ${AT_ONCE} at a time`,
    title: 'Numbered lines',
  });
  const { context, page } = await signedIn(given, `/tasks/${id}`);
  await page.evaluate(lookForRepeats);
  const first = await shows(page, AT_ONCE + 50);
  await stack.killWorkerOf(id);
  const second = await shows(page, first + AT_ONCE);
  await stack.restartGateway();
  await shows(page, second + 1);
  await stack.becomes(id, 'completed');
  await page.getByText(lineOf(LINES)).waitFor();
  const seenTwice = await page.evaluate(() => window.seenTwice);
  const counts = await countLines(page);
  await context.close();
  const lost = Array.from({ length: LINES }, (_, at) => lineOf(at + 1)).filter((line) => !counts.has(line));
  const repeated = [...counts.values()].reduce((sum, count) => sum + count - 1, 0) + seenTwice;
  const { data: attempts } = await stack.call(`/v1/tasks/${id}/attempts`);
  return {
    ok: lost.length === 0 && repeated === 0,
    ...{ lostLines: lost.length, repeatedLines: repeated, attempts: attempts.length },
  };
}

/** Waits for a line with this number or a higher one; gives the highest. */
async function shows(page, number) {
  const highest = await page.waitForFunction((least) => {
    const lines = document.querySelector('.log')?.textContent.match(/(?<=line )\d{5}(?= of)/g) ?? [];
    const most = Math.max(0, ...lines.map(Number));
    return most >= least && most;
  }, number);
  return highest.jsonValue();
}

/** In the page: the most lines that were ever seen twice at the same time, while they came. */
function lookForRepeats() {
  window.seenTwice = 0;
  setInterval(() => {
    const lines = document.querySelector('.log')?.textContent.match(/line \d{5} of/g) ?? [];
    window.seenTwice = Math.max(window.seenTwice, lines.length - new Set(lines).size);
  }, 100);
}

/** How often each line stands in the whole transcript, of which the page draws only what is seen. */
async function countLines(page) {
  const items = new Map();
  const log = page.locator('.log');
  const { x, y } = await log.boundingBox();
  await page.mouse.move(x + 200, y + 300);
  for (let isTop = false; !isTop;) {
    const drawn = await log.evaluate((element) => ({
      here: [...element.querySelectorAll('.flow-item')].map((item) => [item.dataset.index, item.textContent]),
      isTop: element.scrollTop < 1,
    }));
    for (const [index, text] of drawn.here) items.set(index, text);
    ({ isTop } = drawn);
    await page.mouse.wheel(0, -LESS_THAN_A_MESSAGE_PX);
    await page.waitForTimeout(80);
  }
  const counts = new Map();
  for (const [line] of [...items.values()].join('\n').matchAll(/line \d{5} of the agent/g))
    counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
