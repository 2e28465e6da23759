/** A process that keeps leases, and whose main thread then stands still for ever. */
import { LeaseKeeper } from '../dist/index.js';

const keeper = new LeaseKeeper({
  databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
  workerId: 'worker_stuck',
  leaseMs: 1_000,
  renewMs: 100,
  stuckMs: 1_000,
  onProblem: () => undefined,
});
await keeper.started();
process.stdout.write('stands still\n');
setTimeout(() => {
  for (;;);
}, 100);
