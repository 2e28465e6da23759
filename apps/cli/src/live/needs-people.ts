/** Notices when a tree of tasks cannot go on without a person. */
import { isStored, type ProviderSays, type StreamItem, type TaskNode, type TreeModel } from '@bullpen/client';
import type { InteractionView, TaskView } from '@bullpen/contracts';
import type { Client } from '../context.js';

/** A task of the tree that waits for the provider's key, and what the provider said. */
export interface WaitsForKey extends ProviderSays {
  readonly taskId: string;
}

/** The tree waits for people: for these answers, for somebody to fix the key, or else for the next message. */
export class NeedsPeople extends Error {
  override readonly name = 'NeedsPeople';

  constructor(
    readonly task: TaskView,
    readonly interactions: readonly InteractionView[],
    readonly waitsForKey: WaitsForKey | null,
  ) {
    super(`${task.id} waits for a person`);
  }
}

const FOR_PEOPLE = ['approval', 'answer', 'budget', 'message', 'provider'];

/** Whether nothing in the tree moves, or will move on its own, and something waits for a person. */
export function waitsForPeople(model: TreeModel): boolean {
  const nodes = model.rows().map(({ node }) => node);
  return nodes.some(asksPeople) && !nodes.some(moves);
}

/** Whether it is the user's turn. */
export function waitsForMessage(model: TreeModel): boolean {
  const { root } = model;
  return root?.state === 'waiting' && root.waitReason === 'message';
}

/** What the gateway says to it: by the time an event is read, somebody may have answered. Null: it goes on. */
async function needOf(client: Client, model: TreeModel, signal: AbortSignal): Promise<NeedsPeople | null> {
  const { rootId } = model;
  const [task, page, waitsForKey] = await Promise.all([
    client.tasks.get(rootId, { signal }),
    client.interactions.list({ rootId, limit: 200 }, { signal }),
    keyNeedOf(client, model, signal),
  ]);
  const listens = task.state === 'waiting' && task.waitReason === 'message';
  const isNeed = listens || page.data.length > 0 || waitsForKey !== null;
  return isNeed ? new NeedsPeople(task, page.data, waitsForKey) : null;
}

async function keyNeedOf(client: Client, model: TreeModel, signal: AbortSignal): Promise<WaitsForKey | null> {
  const waiting = model.rows().find(({ node }) => waitsForProvider(node))?.node;
  if (waiting === undefined) return null;
  if (!waitsForProvider(await client.tasks.get(waiting.id, { signal }))) return null;
  return {
    taskId: waiting.id,
    ...(waiting.refusal ?? { errorClass: 'authentication', message: 'no reason was given' }),
  };
}

function waitsForProvider({ state, waitReason }: Pick<TaskNode, 'state' | 'waitReason'>): boolean {
  return state === 'waiting' && waitReason === 'provider';
}

/** Calls `found` once the tree of `model` needs people and `wanted` says that this is the end of watching. */
export function watchNeeds(options: {
  readonly client: Client;
  readonly model: TreeModel;
  readonly signal: AbortSignal;
  wanted(model: TreeModel): boolean;
  found(need: NeedsPeople): void;
  failed(error: unknown): void;
}): (item: StreamItem) => void {
  const { client, model, signal, wanted, found, failed } = options;
  let looking = false;
  let again = false;
  const look = async (): Promise<void> => {
    looking = true;
    do {
      again = false;
      const need = wanted(model) ? await needOf(client, model, signal) : null;
      // What came in meanwhile may have changed the answer.
      if (need !== null && wanted(model)) return found(need);
    } while (again);
    looking = false;
  };
  return (item) => {
    model.apply(item);
    if (!isStored(item) || item.type !== 'task.status_changed') return;
    if (looking) again = true;
    else if (wanted(model)) look().catch((error: unknown) => (signal.aborted ? undefined : failed(error)));
  };
}

function asksPeople({ state, waitReason }: TaskNode): boolean {
  return state === 'waiting' && waitReason !== null && FOR_PEOPLE.includes(waitReason);
}

function moves({ state, waitReason }: TaskNode): boolean {
  if (state === 'queued' || state === 'running') return true;
  return state === 'waiting' && waitReason === 'backoff';
}
