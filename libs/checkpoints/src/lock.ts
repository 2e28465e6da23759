/**
 * One at a time for a store, among all processes of a machine. The lock is a socket that listens: the kernel takes it back from a process that dies,
 * so there is no stale one to be judged.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = 20;

/** Waits as long as somebody else has it. Throws the signal's reason on abort. */
export async function withLock<T>(folder: string, signal: AbortSignal, use: () => Promise<T>): Promise<T> {
  const server = await acquire(addressOf(folder), signal);
  try {
    return await use();
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

async function acquire(address: string, signal: AbortSignal): Promise<Server> {
  for (;;) {
    signal.throwIfAborted();
    const server = await listen(address);
    if (server !== null) return server;
    if (!isAbstract(address)) await removeDead(address);
    await sleep(RETRY_MS, undefined, { signal });
  }
}

/** Null while somebody else listens. */
async function listen(address: string): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(address, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** Linux has names for sockets that are no files; elsewhere the file of a dead process stays. */
function addressOf(folder: string): string {
  const name = `bullpen-${createHash('sha256').update(path.resolve(folder)).digest('hex').slice(0, 24)}`;
  return process.platform === 'linux' ? `\0${name}` : path.join(tmpdir(), `${name}.sock`);
}

function isAbstract(address: string): boolean {
  return address.startsWith('\0');
}

async function removeDead(address: string): Promise<void> {
  const refused = await new Promise<boolean>((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
  if (refused) await rm(address, { force: true });
}
