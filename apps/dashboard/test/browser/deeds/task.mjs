/**
 * The screen of a task, measured and used: a task of ten thousand events, text that streams fast and long, what is costly to parse, a message
 * in Korean, an ask that is over before it is answered.
 */
/* global document, KeyboardEvent, requestAnimationFrame */
import { say, watched } from '../live.mjs';
import { isQuick, openMs } from '../opening.mjs';
import { callEvents, taskWith } from '../record.mjs';
import { signedIn } from '../session.mjs';
import { until } from '../until.mjs';

const EVENTS = 10_000;
const PER_TURN = 4;

/** Opens with the newest 50 within a second, holds what is read while older ones come, finds what was never drawn. */
export async function openBigTask({ browser, stack, watch }) {
  const events = Array.from({ length: EVENTS / PER_TURN }, (_, turn) => turnOf(turn + 1)).flat();
  const id = await taskWith(stack, 'Ten thousand events', events);
  const last = `Step ${EVENTS / PER_TURN}.`;
  const { context, page } = await signedIn({ browser, stack, watch }, '/tasks');
  const smallId = await taskWith(stack, 'A few events', turnOf(1));
  const openAt = (task, text) => openMs(page, `${stack.url}/tasks/${task}`, page.getByText(text));
  const smallMs = await openAt(smallId, 'Step 1.');
  const openTaskMs = await openAt(id, last);
  const movedPx = await readBack(page);
  const heapMb = await heapOf(context, page);
  await page.locator('.newpill').click();
  await page.getByText(last).waitFor();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('Step 77.');
  await page.getByText('Step 77.', { exact: true }).waitFor();
  await context.close();
  const ok = isQuick(openTaskMs, smallMs) && heapMb < 150 && movedPx <= 2;
  return { ok, openTaskMs, smallMs, heapMb, movedPx };
}

/** Scrolls up through three pages of older events; so far the row under the eye moved at most by itself. */
async function readBack(page) {
  const log = page.locator('.log');
  const { x, y } = await log.boundingBox();
  await page.mouse.move(x + 200, y + 300);
  let moved = 0;
  for (let pages = 0; pages < 3; pages += 1) {
    const before = await page.locator('.log-older').innerText();
    for (let turn = 0; turn < 60; turn += 1) {
      if ((await page.locator('.log-older').innerText()) !== before) break;
      await page.mouse.wheel(0, -400);
      const row = await rowInSight(page);
      await page.waitForTimeout(120);
      const now = await page.evaluate(
        (key) => document.querySelector(key)?.getBoundingClientRect().top,
        row.key,
      );
      // The wheel itself moves it down: only what goes beyond that is the list's doing.
      if (now !== undefined) moved = Math.max(moved, row.top - now, now - row.top - 400);
    }
  }
  return Math.max(0, Math.round(moved));
}

/** The first row that is wholly in sight, with a way to find it again. */
function rowInSight(page) {
  return page.evaluate(() => {
    const { top } = document.querySelector('.log').getBoundingClientRect();
    const row = [...document.querySelectorAll('.flow-item')].find(
      (each) => each.getBoundingClientRect().top > top,
    );
    row.id ||= `row-${Math.random().toString(36).slice(2)}`;
    return { key: `#${row.id}`, top: row.getBoundingClientRect().top };
  });
}

async function heapOf(context, page) {
  const session = await context.newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  return Math.round(metrics.find(({ name }) => name === 'JSHeapUsedSize').value / 1_000_000);
}

/** After 100,000 characters, 300 pieces a second: no frame over 100 ms, and in the end every letter once. */
export async function streamFast(given) {
  const { context, page, id } = await watched(given);
  const paragraph =
    'Some words with **bold**, `code` and [a link](https://e.test/x).\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n\n';
  const head = paragraph.repeat(Math.ceil(100_000 / paragraph.length));
  await say(page, id, 'msg_fast', [head], 0);
  await page.locator('.md').last().getByText('const a = 1;').last().waitFor();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await busyMs(session);
  const result = await page.evaluate(
    async ({ id, start }) => {
      const channel = new BroadcastChannel('bullpen.live');
      const frames = [];
      let last = performance.now();
      let goes = true;
      const tick = (now) => {
        frames.push(now - last);
        last = now;
        if (goes) requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
      const began = performance.now();
      let sent = 0;
      while (sent < 1_500) {
        for (
          const due = Math.floor((performance.now() - began) * 0.3);
          sent < due && sent < 1_500;
          sent += 1
        ) {
          const data = { messageId: 'msg_fast', offset: start + sent * 4, text: 'wow ' };
          const item = { type: 'message.delta', data, taskId: id, rootId: id, afterSeq: 1e6 };
          channel.postMessage({ kind: 'item', item });
        }
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
      goes = false;
      const said = document.querySelector('.md[data-streams]')?.textContent ?? '';
      const sorted = frames.slice(2).sort((a, b) => a - b);
      return {
        frames: frames.length,
        words: said.split('wow').length - 1,
        worstFrameMs: Math.round(sorted.at(-1)),
        frameP99Ms: Math.round(sorted[Math.floor(sorted.length * 0.99)]),
      };
    },
    { id, start: head.length },
  );
  const workPerFrameMs = Math.round((await busyMs(session)) - before) / result.frames;
  await context.close();
  // How long a frame takes is also up to what else this machine does; what the page works for one is not.
  return {
    ok: result.words === 1_500 && workPerFrameMs <= 50,
    workPerFrameMs: Math.round(workPerFrameMs),
    ...result,
  };
}

/** What the page's thread has worked so far. */
async function busyMs(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1_000;
}

/** Texts that take a parser the square of their length: the page goes on. */
export async function parseHostile(given) {
  const { context, page, id } = await watched(given);
  const texts = ['_x_['.repeat(20_000), '>'.repeat(30_000), '- '.repeat(10_000), `${'['.repeat(20_000)}x`];
  const waits = [];
  for (const [at, text] of texts.entries()) {
    await say(page, id, `msg_hostile_${at}`, [text], 0);
    const began = performance.now();
    await page.locator('.md[data-streams]').waitFor();
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    waits.push(Math.round(performance.now() - began));
  }
  await context.close();
  return { ok: Math.max(...waits) < 2_000, longestMs: Math.max(...waits) };
}

/** Hangul, sent with the Enter that ends its last syllable: one message, whole, and an empty field. */
export async function sayInKorean(given) {
  const { context, page, id } = await watched(given);
  const field = page.locator('.composer-field');
  await field.click();
  const session = await context.newCDPSession(page);
  await session.send('Input.insertText', { text: '배포해' });
  await session.send('Input.imeSetComposition', { text: '줘', selectionStart: 1, selectionEnd: 1 });
  await field.evaluate((element) =>
    element.dispatchEvent(
      new KeyboardEvent('keydown', {
        key: 'Process',
        code: 'Enter',
        isComposing: true,
        bubbles: true,
        cancelable: true,
      }),
    ),
  );
  await session.send('Input.insertText', { text: '줘' });
  const texts = async () => (await given.stack.call(`/v1/tasks/${id}/messages`)).data.map(({ text }) => text);
  await until(async () => (await texts()).length > 0, 'the message');
  await page.waitForTimeout(300);
  const sent = await texts();
  const left = await field.inputValue();
  await context.close();
  return { ok: sent.length === 1 && sent[0] === '배포해줘' && left === '', sent, left };
}

/** An ask whose task was cancelled elsewhere closes where it stands, and says so. */
export async function askIsOver(given) {
  const { context, page, id } = await watched(given);
  await page.locator('.ask .btn.primary').waitFor();
  await given.stack.call(`/v1/tasks/${id}/cancel`, {});
  await page.locator('.ask-done').waitFor();
  const told = await page.locator('.ask-done').innerText();
  const buttons = await page.locator('.ask .btn.primary').count();
  await context.close();
  return { ok: buttons === 0 && told !== '', told };
}

function turnOf(turn) {
  const usage = {
    inputTokens: 9,
    outputTokens: 9,
    cacheReadTokens: 9,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
  };
  const text = `Step ${turn}.\n\nSome **bold** words and a list:\n\n- one\n- two${' words'.repeat(turn % 60)}\n`;
  return [
    { type: 'message.agent', data: { messageId: `msg_${turn}`, turn, text } },
    ...callEvents(turn, { args: { command: `npm test ${turn}` }, preview: 'exit code 0\nfine' }),
    {
      type: 'usage.recorded',
      data: { modelCallId: `mcall_${turn}`, model: 'claude-sonnet-5-5', usage, costUsd: '0.01' },
    },
  ];
}
