/**
 * Stands in for gateway, worker and simulator in tests of the supervisor. Writes what happens to it into a journal beside the
 * script, and behaves badly when a file there says so: `<kind>.crash` (ends at once), `<kind>.stubborn` (ignores SIGTERM),
 * `<kind>.stuck` (stands still).
 */
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setInterval } from 'node:timers';

export function run(kind, folder) {
  const note = (what) => appendFileSync(join(folder, 'journal'), `${kind} ${what} ${process.pid}\n`);
  const has = (file) => existsSync(join(folder, `${kind}.${file}`));
  if (has('crash')) {
    console.error(`${kind} cannot go on`);
    process.exit(3);
  }
  note('start');
  appendFileSync(join(folder, `${kind}.env`), `${JSON.stringify(process.env)}\n`);
  const end = (why) => () => {
    note(why);
    process.exit(0);
  };
  process.on('SIGTERM', has('stubborn') ? () => note('ignored') : end('stop'));
  process.on('SIGINT', end('interrupt'));
  process.on('disconnect', end('orphan'));
  if (has('warn'))
    console.log(JSON.stringify({ level: 'warn', msg: 'it is getting warm', err: { message: '40 degrees' } }));
  process.on('message', () => {
    while (has('stuck')); // Its event loop stands still.
    process.send({ type: 'pong' });
  });
  if (kind === 'worker') {
    setInterval(() => undefined, 1_000);
    process.send({ type: 'ready' });
    return;
  }
  const flag = process.argv.indexOf('--port');
  const port = Number(flag < 0 ? process.env.PORT : process.argv[flag + 1]);
  const server = createServer().listen(port, '127.0.0.1', () => {
    process.send({ type: 'listening', port: server.address().port });
  });
}
