/** One peer, in a process of its own: `peer-process.js NAME FOLDER DATABASE_URL`. Does the work that it is asked for, one at a time. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { errorText } from '@bullpen/contracts';
import { PEERS, type PeerName } from './kinds.js';
import type { WorkName, Works } from './peer.js';

export interface WorkRequest {
  readonly type: 'work';
  readonly work: WorkName;
  readonly counts: readonly number[];
}

export type WorkAnswer =
  | { readonly type: 'work'; readonly samples: readonly number[] }
  | { readonly type: 'work'; readonly problem: string };

async function main(): Promise<void> {
  const [name = '', folder = '', databaseUrl = ''] = process.argv.slice(2);
  const require = createRequire(join(folder, 'package.json'));
  const works = await PEERS[name as PeerName].open(<T>(one: string) => require(one) as T, databaseUrl);
  process.on('message', (request: WorkRequest) => {
    void answer(works, request).then((reply) => process.send?.(reply));
  });
  process.once('disconnect', () => process.exit());
  process.send?.({ type: 'ready' });
}

async function answer(works: Works, { work, counts }: WorkRequest): Promise<WorkAnswer> {
  try {
    return { type: 'work', samples: (await works[work]?.(...counts)) ?? [] };
  } catch (error) {
    return { type: 'work', problem: errorText(error) };
  }
}

await main();
