/** Opens hosts for one command: a filtering proxy on a socket of its own, which goes with the command. */
import { readdirSync, rmSync } from 'node:fs';
import { chmod, chown, mkdtemp } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import path from 'node:path';
import { AppError, errorText, type HostRules } from '@bullpen/contracts';
import { filteringProxy, type FilteringProxyOptions, type NetworkReport } from './filtering-proxy.js';

/** Opens ways out for commands. */
export interface HostGate {
  /**
   * Opens the hosts for one command. `uid` is the user that must be able to connect; null for our own. Throws `tool_failed`, with a
   * text that says what to do, when that can't be done: the command is then not started.
   */
  open(rules: HostRules, uid: number | null): Promise<OpenedHosts>;
}

export interface OpenedHosts {
  /** Absolute, under 108 bytes. Speaks HTTP as a proxy does: CONNECT, and absolute URLs. */
  readonly socketPath: string;
  /** Why requests were refused so far, each reason once. */
  refused(): readonly string[];
  /** To be called once when the command has ended. Never throws. */
  close(): void;
}

/** Short, whatever the installation's folder is called: the path of a socket may have 107 bytes. */
const SOCKETS = '/tmp';
const PREFIX = 'bullpen-net-';
/** So many reasons are kept for one command, cut to so many characters. */
const MOST_REASONS = 20;
const REASON_CHARS = 300;

/**
 * A gate whose proxies share the rules for addresses; each command brings its own hosts. Sockets that an earlier
 * process left behind go first.
 */
export function hostGate(options: Omit<FilteringProxyOptions, 'rules'>): HostGate {
  removeLeftovers();
  return {
    async open(rules, uid) {
      try {
        const refused = new Set<string>();
        const report = (each: NetworkReport): void => {
          if (each.kind === 'refused' && refused.size < MOST_REASONS)
            refused.add(each.reason.slice(0, REASON_CHARS));
          options.report(each);
        };
        const listening = await listen(filteringProxy({ ...options, report, rules }), uid);
        return { ...listening, refused: () => [...refused] };
      } catch (cause) {
        const text = `The way to the opened hosts can't be made in ${SOCKETS}: ${errorText(cause)}`;
        throw new AppError('tool_failed', text, { cause });
      }
    },
  };
}

async function listen(server: Server, uid: number | null): Promise<Omit<OpenedHosts, 'refused'>> {
  const folder = await mkdtemp(path.join(SOCKETS, `${PREFIX}${process.pid}-`));
  const socketPath = path.join(folder, 'proxy');
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const close = (): void => {
    server.close();
    // Those of tunnels are no longer the server's to close.
    for (const socket of sockets) socket.destroy();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(socketPath, resolve);
    });
    if (uid !== null) await chown(socketPath, uid, -1);
    await chmod(socketPath, 0o600);
    // Others may go through, but not look; the socket lets in its owner alone.
    await chmod(folder, 0o711);
    return { socketPath, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Of processes that ended without tidying up. */
function removeLeftovers(): void {
  for (const name of readdirSync(SOCKETS)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && isGone(Number(pid))) removeQuietly(path.join(SOCKETS, name));
  }
}

function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another user's, who removes it.
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
