import {
  interactionStoreContract,
  type InteractionStoreHarness,
  MemoryTaskStore,
  taskStoreContract,
} from '@bullpen/core/testing';
import { isTerminal } from '@bullpen/contracts';
import { aDefinition } from '@bullpen/testing';

const open = (): Promise<InteractionStoreHarness> => {
  const store = new MemoryTaskStore();
  let ids = 0;
  const newId = (prefix: string) => `${prefix}_${(ids += 1)}`;
  return Promise.resolve({
    store,
    definition: aDefinition(),
    newId,
    create: (definition) => {
      const id = newId('task');
      store.create({ id, definition });
      return Promise.resolve(id);
    },
    look: (id) => {
      const task = store.get(id);
      const account = store.account(task.record.rootId);
      return Promise.resolve({
        state: task.state,
        wake: task.wake,
        epoch: task.epoch,
        messages: task.messages.length,
        events: task.events.map(({ type }) => type),
        calls: [...task.toolCalls.values()].map(({ status, startedAt }) => ({
          status,
          started: startedAt !== null,
        })),
        spent: account.spent,
        reserved: account.reserved,
        cost: task.record.costNanoUsd,
        cause: task.outcome?.cause ?? null,
        crashes: task.record.crashes,
        attempt: task.record.attempt,
      });
    },
    expire: (id) => Promise.resolve(store.expire(id)),
    pause: (id) => Promise.resolve(store.pause(id)),
    resume: (id) => Promise.resolve(store.resume(id)),
    interrupt: (id, text) => Promise.resolve(store.interrupt(id, { id: newId('inbox'), text })),
    rollBack: (id, text) => Promise.resolve(store.interrupt(id, { id: newId('inbox'), text }, true)),
    fireDue: (id) => Promise.resolve(store.fireDue(id)),
    cancel: (id) => Promise.resolve(store.requestCancel(id)),
    answer: (id, ask, answer) => Promise.resolve(store.answer(id, ask, answer)),
    expireInteraction: (id, ask) => Promise.resolve(store.expireInteraction(id, ask)),
    transition: (id, trigger, reason) => {
      store.transition(id, trigger, reason, 'somebody');
      return Promise.resolve();
    },
    switchAutonomy: (id, autonomy) => Promise.resolve(store.switchAutonomy(id, autonomy)),
    send: (id, text) => {
      const message = { id: newId('inbox'), text };
      if (isTerminal(store.get(id).state)) store.goOn(id, message);
      else store.send(id, message);
      return Promise.resolve(message.id);
    },
    change: (id, inboxId, text) => Promise.resolve(store.changeMessage(id, inboxId, text)),
    rewind: (id, request) => {
      const point = store.rewind(id, request);
      return Promise.resolve(point.ok ? point.text : null);
    },
    close: () => Promise.resolve(),
  });
};

taskStoreContract('the memory store', open);
interactionStoreContract('the memory store', open);
