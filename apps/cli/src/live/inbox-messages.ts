/** The messages that were sent to a task, all of them. */
import type { InboxMessageView } from '@bullpen/contracts';
import type { Client } from '../context.js';

const LARGEST_PAGE = 200;

/** Oldest first. */
export async function readMessages(client: Client, taskId: string): Promise<InboxMessageView[]> {
  const data: InboxMessageView[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await client.tasks.messages(taskId, {
      limit: LARGEST_PAGE,
      ...(after !== undefined && { after }),
    });
    data.push(...page.data);
    if (!page.hasMore || page.nextCursor === null) return data;
    after = page.nextCursor;
  }
}

/** Whether it can still be changed: the agent has not read it. */
export function isPending({ deliveredAt, withdrawnAt }: InboxMessageView): boolean {
  return deliveredAt === null && withdrawnAt === null;
}
