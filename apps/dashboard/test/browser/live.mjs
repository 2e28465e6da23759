/** A page that is given its live events by another tab: as with every tab but the first. */
import { signedIn } from './session.mjs';

/** A task that waits for a person, open in such a page. */
export async function watched({ browser, stack, watch }) {
  const { id } = await stack.call('/v1/tasks', { prompt: 'Write a file about this', autonomy: 'agent' });
  await stack.ask(id);
  const { context, page: first } = await signedIn({ browser, stack, watch }, '/tasks');
  await first.locator('h1').waitFor();
  await first.waitForTimeout(500);
  const page = await watch.page(context);
  await page.goto(`${stack.url}/tasks/${id}`);
  await page.locator('.flow-item').first().waitFor();
  await page.bringToFront();
  return { context, page, id };
}

/** Pieces of an answer, as the tab that reads the stream passes them on. */
export function say(page, id, messageId, pieces, offset = 0) {
  return page.evaluate(
    ({ id, messageId, pieces, offset }) => {
      const channel = new BroadcastChannel('bullpen.live');
      for (const text of pieces) {
        const data = { messageId, offset, text };
        channel.postMessage({
          kind: 'item',
          item: { type: 'message.delta', data, taskId: id, rootId: id, afterSeq: 1e6 },
        });
        offset += text.length;
      }
    },
    { id, messageId, pieces, offset },
  );
}
