/**
 * Before a test run: names a folder in which the specs share one Postgres. Nothing is started here, because most runs are of
 * unit tests that need none: the first spec that asks for a database starts it (`src/postgres.ts`). Plain JavaScript, as Jest
 * loads this file before its transforms.
 */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function globalSetup() {
  const folder = mkdtempSync(join(tmpdir(), 'bullpen-test-'));
  // Under root the server runs as another user, who must get through.
  chmodSync(folder, 0o711);
  process.env.BULLPEN_TEST_FOLDER = folder;
  process.env.BULLPEN_TEST_RUN_PID = String(process.pid);
}
