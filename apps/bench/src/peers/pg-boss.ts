/** pg-boss: a job queue in Postgres whose workers poll. */
import { Arrivals } from '../lab/arrivals.js';
import { CALL_BESIDE_HTTP, PAYLOAD, POOL_SIZE, submitWorks, type PeerKind } from './peer.js';

interface Boss {
  on(event: 'error', handler: (error: Error) => void): unknown;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  send(queue: string, data: object): Promise<string | null>;
  work(queue: string, options: object, handler: () => Promise<void>): Promise<string>;
}

export const pgBoss: PeerKind = {
  title: 'pg-boss',
  package: 'pg-boss',
  unequal: {
    submitRate: CALL_BESIDE_HTTP,
    submits: CALL_BESIDE_HTTP,
    starts:
      'its worker polls twice a second, the shortest interval that it allows, in the process that sends.',
  },
  open: async (load, databaseUrl) => {
    const PgBoss = load<new (options: object) => Boss>('pg-boss');
    const boss = new PgBoss({ connectionString: databaseUrl, max: POOL_SIZE });
    boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
    await boss.start();
    await boss.createQueue('kept');
    await boss.createQueue('worked');
    const starts = new Arrivals();
    await boss.work('worked', { pollingIntervalSeconds: 0.5 }, () => {
      starts.arrived();
      return Promise.resolve();
    });
    const submit = () => boss.send('kept', PAYLOAD);
    return {
      ...submitWorks(submit),
      starts: (count = 1) => starts.after(() => boss.send('worked', PAYLOAD), count),
    };
  },
};
