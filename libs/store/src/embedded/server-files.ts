/** Where an embedded server keeps its files below `home`, and how other processes find it. */
import { join } from 'node:path';
import { readIfThere } from '@bullpen/platform';

/** Role and database that the embedded server is made with. */
export const ROLE = 'bullpen';
export const DATABASE = 'bullpen';

export interface ServerFiles {
  readonly home: string;
  readonly root: string;
  readonly data: string;
  /** What `initdb` writes into; becomes `data` by a rename, so that half a database can never be mistaken for a complete one. */
  readonly unfinishedData: string;
  readonly password: string;
  readonly port: string;
  readonly ownerLock: string;
  /** Copy of the server's programs, for an installation that the server's user can't reach. */
  readonly programs: string;
  readonly log: string;
}

/** The paths of the server of `home`; nothing is created. */
export function serverFiles(home: string): ServerFiles {
  const root = join(home, 'postgres');
  return {
    home,
    root,
    data: join(root, 'data'),
    unfinishedData: join(root, 'data.unfinished'),
    password: join(root, 'password'),
    port: join(root, 'port'),
    ownerLock: join(root, 'owner'),
    programs: join(root, 'programs'),
    log: join(home, 'logs', 'postgres.log'),
  };
}

/** The URL of a server on this machine's loopback address. */
export function serverUrl(password: string, port: number, database: string = DATABASE): string {
  return `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
}

/** The port that the last server of this home wrote down; null when there is none. */
export async function readPort(files: ServerFiles): Promise<number | null> {
  const port = Number(await readIfThere(files.port));
  return Number.isInteger(port) && port > 0 ? port : null;
}

/** The last lines of the server's log, for error texts. */
export async function logTail(files: ServerFiles, lines = 15): Promise<string> {
  const text = (await readIfThere(files.log)) ?? '';
  return text.split('\n').slice(-lines).join('\n');
}
