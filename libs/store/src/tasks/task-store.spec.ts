import { aDefinition } from '@bullpen/testing';
import {
  interactionStoreContract,
  taskStoreContract,
  type InteractionStoreHarness,
} from '@bullpen/core/testing';
import { newId } from '@bullpen/platform';
import { StoreWorld } from '../../test/store-world.js';

const open = async (): Promise<InteractionStoreHarness> => {
  // One connection: nobody who has one may ask for another.
  const world = await StoreWorld.open({ connections: 1 });
  const { pool, store, commands, reconciler } = world;
  return {
    store,
    definition: aDefinition(),
    newId,
    create: (definition) => world.create({ definition }),
    look: async (id) => {
      const { rows } = await pool.query<{ task: never }>(
        `SELECT json_build_object('state', t.state, 'wake', t.wake, 'epoch', t.epoch, 'cost', t.cost_nano_usd::text, 'cause', t.stop_cause, 'crashes', t.crashes, 'attempt', t.attempt,
           'messages', (SELECT count(*) FROM api_messages WHERE task_id = t.id),
           'events', (SELECT json_agg(type ORDER BY seq) FROM ui_events WHERE task_id = t.id),
           'calls', (SELECT coalesce(json_agg(json_build_object('status', status, 'started', started_at IS NOT NULL)), '[]') FROM tool_calls WHERE task_id = t.id),
           'spent', b.spent_nano_usd::text, 'reserved', b.reserved_nano_usd::text) AS task
         FROM tasks t JOIN budget_accounts b ON b.root_id = t.root_id WHERE t.id = $1`,
        [id],
      );
      const task = rows[0]?.task as unknown as Record<'cost' | 'spent' | 'reserved', string>;
      return {
        ...(task as never as object),
        cost: BigInt(task.cost),
        spent: BigInt(task.spent),
        reserved: BigInt(task.reserved),
      } as never;
    },
    expire: async (id) => {
      await pool.query(`UPDATE tasks SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
      await reconciler.expireLeases();
    },
    cancel: async (id) => {
      await commands.cancel('default', id, null);
    },
    pause: async (id) => {
      await commands.pause('default', id, false);
    },
    resume: async (id) => {
      await commands.resume('default', id);
    },
    interrupt: async (id, text) => {
      await commands.interrupt('default', id, { id: newId('inbox'), text });
    },
    rollBack: async (id, text) => {
      await commands.sendMessage('default', id, { id: newId('inbox'), text, strategy: 'rollback' });
    },
    fireDue: async (id) => {
      await pool.query(
        `UPDATE waits SET due_at = now() - interval '1 second' WHERE id = (SELECT wait_id FROM tasks WHERE id = $1)`,
        [id],
      );
      await reconciler.fireDueWaits();
    },
    send: async (id, text) => {
      const messageId = newId('inbox');
      await commands.sendMessage('default', id, { id: messageId, text });
      return messageId;
    },
    change: (id, inboxId, text) => commands.changeMessage('default', id, inboxId, text),
    rewind: async (id, request) => {
      const done = await commands.rewind('default', id, request);
      return typeof done === 'object' && done.kind === 'rewound' ? done.text : null;
    },
    answer: async (_, id, answer) =>
      (await commands.answer('default', id, { answer, by: 'somebody' })).kind === 'answered',
    expireInteraction: async (_, id) => {
      await pool.query(`UPDATE interactions SET expires_at = now() - interval '1 second' WHERE id = $1`, [
        id,
      ]);
      await reconciler.expireInteractions();
    },
    switchAutonomy: async (id, autonomy) => {
      await commands.switchAutonomy('default', id, autonomy, newId('inbox'));
    },
    transition: async (id, trigger, reason) => {
      await commands.fireTrigger('default', id, { trigger, reason, by: 'somebody' });
    },
    close: () => world.close(),
  };
};

taskStoreContract('the Postgres store', open);
interactionStoreContract('the Postgres store', open);
