/** How long a page takes to show something, from the list of tasks: the best of three, as what else this machine does is none of it. */
export async function openMs(page, url, shown) {
  const times = [];
  for (let at = 0; at < 3; at += 1) {
    await page.goto(new URL('/tasks', url).href);
    await page.locator('.tasks tbody tr').first().waitFor();
    const began = performance.now();
    await page.goto(url);
    await shown.waitFor();
    times.push(Math.round(performance.now() - began));
  }
  return Math.min(...times);
}

/** A second is the goal. On a machine on which the page of a small task takes long as well, it may take three times as long as that one. */
export const isQuick = (ms, smallMs) => ms <= Math.max(1_000, 3 * smallMs);
