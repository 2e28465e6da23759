/* global document, KeyboardEvent -- what stands in functions that run in the page */
/** Reading a task: following its end, going through it by keys, a deep tree, a clock that is wrong, a picture from elsewhere. */
import { say, watched } from '../live.mjs';
import { isQuick, openMs } from '../opening.mjs';
import { callEvents, taskWith } from '../record.mjs';
import { signedIn } from '../session.mjs';

const PILL = '.newpill.tail';

/** Thirty rows stream, with code in them: the list's own moves end nothing; a wheel, a key or the scrollbar does, and nothing else. */
export async function followEnd(given) {
  const { context, page, id } = await watched(given);
  const log = page.locator('.log');
  const isAtEnd = () => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 48);
  let offset = 0;
  const stream = async (from, to) => {
    for (let row = from; row < to; row += 1) {
      const text = `Row ${row}\n\n\`\`\`ts\n${'const a = 1;\n'.repeat(row % 9)}\`\`\`\n\n`;
      await say(page, id, 'msg_rows', [text], offset);
      offset += text.length;
    }
    await page.getByText(`Row ${to - 1}`, { exact: true }).waitFor();
  };
  await stream(0, 15);
  await log.evaluate((box) => (box.scrollTop -= 300));
  await page.waitForTimeout(200);
  await stream(15, 30);
  const heldOn = (await page.locator(PILL).count()) === 0 && (await isAtEnd());
  await log.hover();
  await page.mouse.wheel(0, -300);
  await page.locator(PILL).waitFor();
  await log.focus();
  await page.keyboard.press('End');
  await page.locator(PILL).waitFor({ state: 'detached' });
  await page.keyboard.press('PageUp');
  await page.locator(PILL).waitFor();
  await page.locator(PILL).click();
  await page.locator(PILL).waitFor({ state: 'detached' });
  await context.close();
  return { ok: heldOn, heldOn };
}

/** A tree that is a chain of forty opens, folds and unfolds. */
export async function deepTree(given) {
  const { stack } = given;
  const { id: rootId } = await stack.submit({ prompt: 'Say hello', title: 'A deep tree' });
  await stack.becomes(rootId, 'completed');
  const exported = await stack.call(`/v1/tasks/${rootId}/export?format=json`);
  const chain = chainOf(exported, 40);
  const { id } = await stack.call('/v1/tasks/import', chain);
  const { context, page } = await signedIn(given, '/tasks');
  await page.locator('.tasks tbody tr').first().waitFor();
  const level = (at) => page.locator('.tree').getByText(`Level ${at}`, { exact: true });
  const smallMs = await openMs(page, `${stack.url}/tasks/${rootId}`, page.getByRole('heading', { level: 1 }));
  const deepMs = await openMs(page, `${stack.url}/tasks/${id}`, level(9));
  const first = page.locator('.tree [role=row]').first();
  await first.focus();
  await page.keyboard.press('ArrowLeft');
  await level(9).waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowRight');
  await level(9).waitFor();
  await context.close();
  return { ok: isQuick(deepMs, smallMs), openMs: deepMs, smallMs };
}

/** Each task below the one before it. */
function chainOf(exported, length) {
  const [{ task }] = exported.tasks;
  const ids = Array.from({ length }, (_, at) =>
    at === 0 ? task.id : `task_${String(at).padStart(26, '0')}`,
  );
  const tasks = ids.map((id, at) => ({
    task: {
      ...{ ...task, id, title: `Level ${at}`, rootId: task.id, depth: at },
      parentId: at === 0 ? null : ids[at - 1],
    },
    ...{ events: [], messages: [], toolCalls: [] },
  }));
  return { ...exported, tasks };
}

/** With Hangul switched on, keys go through a task as ever: next, open, copy nothing, the next task of the tree; and write in its field. */
export async function keysOfTask(given) {
  const calls = [1, 2, 3].flatMap((at) =>
    callEvents(at, { args: { command: `npm test ${at}`, cwd: '.' }, preview: 'exit code 0\nfine' }),
  );
  const id = await taskWith(given.stack, 'Gone through by keys', calls);
  const { context, page } = await signedIn(given, `/tasks/${id}`);
  await page.getByRole('button', { name: 'npm test 3' }).waitFor();
  const press = (key, code) =>
    page.evaluate(
      (init) => document.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true })),
      { key, code },
    );
  await press('ㅏ', 'KeyK');
  await press('ㅏ', 'KeyK');
  await page.locator('.flow-item[data-at]', { hasText: 'npm test 2' }).waitFor();
  await press('ㅓ', 'KeyJ');
  await page.locator('.flow-item[data-at]', { hasText: 'npm test 3' }).waitFor();
  await press('ㅐ', 'KeyO');
  await page.locator('.flow-item[data-at] .tool-body').waitFor();
  await page.locator('.composer-field').click();
  await page.keyboard.type('jok');
  const written = await page.locator('.composer-field').inputValue();
  const stillThere = await page.locator('.flow-item[data-at]', { hasText: 'npm test 3' }).count();
  await context.close();
  return { ok: written === 'jok' && stillThere === 1, written };
}

/** A browser whose clock is minutes off shows spans by the gateway's clock. */
export async function wrongClock(given) {
  const { id } = await given.stack.call('/v1/tasks', {
    prompt: 'Ask me this',
    autonomy: 'agent',
    title: 'Since when',
  });
  await given.stack.ask(id);
  const shown = {};
  for (const minutes of [7, -7]) {
    const { context, page } = await signedIn(given, '/settings');
    await page.clock.setSystemTime(Date.now() + minutes * 60_000);
    await page.goto(`${given.stack.url}/tasks/${id}`);
    const fact = page.locator('.facts > div', { hasText: 'Time' }).locator('.v');
    await fact.waitFor();
    await page.waitForTimeout(1_200);
    shown[minutes] = await fact.innerText();
    await context.close();
  }
  // A minute or two of waiting on a busy machine is right; seven, or nothing at all, is the clock's doing.
  const isRight = (text) => /^(\d+(\.\d)? s|[1-4]m \d\ds)$/.test(text.trim());
  return { ok: Object.values(shown).every(isRight), shown };
}

/** A picture in an answer carries nothing out: it is a link that names its host. That no request left is what the suite watches everywhere. */
export async function pictureElsewhere(given) {
  const { context, page, id } = await watched(given);
  await say(page, id, 'msg_picture', ['![chart](https://e.test/p.png?d=SECRET) and so on']);
  const link = page.locator('.md a[href^="https://e.test/"]');
  await link.waitFor();
  const text = await link.innerText();
  const pictures = await page.locator('.md img').count();
  await context.close();
  return { ok: pictures === 0 && text.includes('e.test'), text };
}
