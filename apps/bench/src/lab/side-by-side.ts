/** Runs a piece of work `count` times, `lanes` at a time, and gives how long each took, in ms, and the rate of all together. */
export async function sideBySide(
  lanes: number,
  count: number,
  work: (n: number) => Promise<unknown>,
): Promise<{ samples: number[]; perSecond: number }> {
  const samples: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const start = performance.now();
      await work(n);
      samples.push(performance.now() - start);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  return { samples, perSecond: count / ((performance.now() - start) / 1_000) };
}
