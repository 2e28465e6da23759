/** Waits for a condition, which may ask over the network. */
const MOST_MS = 60_000;
const AGAIN_MS = 100;

export async function until(condition, what) {
  const deadline = Date.now() + MOST_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Waited too long for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
