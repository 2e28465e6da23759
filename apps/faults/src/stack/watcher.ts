/** People who watch: readers of event streams, who must see 1, 2, 3, … n, each once, whatever happens to gateway and network. */
import type { TaskEvent } from '@bullpen/contracts';
import type { BullpenClient } from '@bullpen/client';

/** Watches a task to its end; the client reconnects with the last id by itself. Gives what it saw wrong. */
export async function watchToEnd(
  client: BullpenClient,
  taskId: string,
  signal: AbortSignal,
): Promise<string[]> {
  const seen: number[] = [];
  for await (const event of client.tasks.stream(taskId, { signal, maxOfflineMs: 300_000 }))
    if (isDurable(event)) seen.push(event.seq);
  const { eventSeq } = await client.tasks.get(taskId, { signal });
  return seen.length === eventSeq && seen.every((seq, at) => seq === at + 1)
    ? []
    : [`a watcher of ${taskId} saw events ${summary(seen)}, and there are 1 to ${eventSeq}`];
}

function isDurable(event: object): event is TaskEvent {
  return 'seq' in event;
}

/** Where the sequence is broken, for people. */
function summary(seen: readonly number[]): string {
  const breaks = seen.flatMap((seq, at) =>
    at > 0 && seq !== (seen[at - 1] ?? 0) + 1 ? [`${seen[at - 1]} then ${seq}`] : [],
  );
  return `${seen[0] ?? 'none'} to ${seen.at(-1) ?? 'none'}${breaks.length > 0 ? ` (${breaks.slice(0, 5).join(', ')})` : ''}`;
}
