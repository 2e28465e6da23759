/** What the holder of the reconciler's role does for webhooks: turn events into deliveries, and forget old ones. */
import type { ReconcilerJob } from '@bullpen/queue';
import { pruneDeliveries, tailWebhooks, type createPool } from '@bullpen/store';

/** The log of deliveries is kept this long, or as long as tasks are, when that is shorter. */
const LOG_DAYS = 30;

export interface WebhookJobsOptions {
  readonly pool: ReturnType<typeof createPool>;
  readonly retentionDays: number | undefined;
  /** Called when there is something to send. */
  readonly onDue: () => void;
}

/** None is a repair: all give 0. The signal stops pruning between two batches. */
export function webhookJobs(
  { pool, retentionDays = LOG_DAYS, onDue }: WebhookJobsOptions,
  signal: AbortSignal,
): readonly ReconcilerJob[] {
  const tail = async (): Promise<number> => {
    if ((await tailWebhooks(pool)) > 0) onDue();
    return 0;
  };
  // Those that are due again after a failure, and what a process that died has left: other workers look seldom.
  const send = (): Promise<number> => {
    onDue();
    return Promise.resolve(0);
  };
  const prune = async (): Promise<number> => {
    await pruneDeliveries(pool, Math.min(LOG_DAYS, retentionDays) * 86_400, signal);
    return 0;
  };
  return [
    { name: 'webhooks', everyMs: 1_000, whenAsked: true, run: tail },
    { name: 'webhook_send', everyMs: 1_000, whenAsked: true, run: send },
    { name: 'webhook_log', everyMs: 3_600_000, run: prune },
  ];
}
