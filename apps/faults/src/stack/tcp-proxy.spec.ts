import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@bullpen/testing';
import { TcpProxy } from './tcp-proxy.js';

describe('the proxy', () => {
  let echo: Server;
  let proxy: TcpProxy;
  let heard = '';
  const sockets: Socket[] = [];

  beforeEach(async () => {
    heard = '';
    echo = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        heard += bytes.toString();
        socket.write(bytes);
      });
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await new TcpProxy(`http://127.0.0.1:${(echo.address() as AddressInfo).port}`).open();
  });
  afterEach(async () => {
    await proxy.close();
    for (const socket of sockets.splice(0)) socket.destroy();
    await new Promise((resolve) => echo.close(resolve));
  });

  async function dial(): Promise<{ socket: Socket; got: () => string; closed: () => boolean }> {
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    sockets.push(socket);
    let text = '';
    let closed = false;
    socket.on('data', (bytes) => (text += bytes.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => (closed = true));
    // A reset may come before anybody can be told of the connection.
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    return { socket, got: () => text, closed: () => closed };
  }

  const until = (condition: () => boolean, what: string) => waitFor(condition, { what, timeoutMs: 5_000 });

  it('passes bytes on in both directions, and in order, also when slow', async () => {
    const line = await dial();
    proxy.set({ kind: 'delay', ms: 20 });
    for (const piece of ['a', 'b', 'c']) line.socket.write(piece);
    await until(() => line.got() === 'abc', 'the echo');
    proxy.set({ kind: 'throttle', bytesPerSecond: 100_000 });
    line.socket.write('x'.repeat(20_000));
    await until(() => line.got().length === 20_003, 'the long echo');
  });

  it('that stalls loses nothing: all of it comes when it passes again', async () => {
    const line = await dial();
    proxy.set({ kind: 'stall' });
    line.socket.write('hello');
    await sleep(50);
    expect([heard, line.got()]).toEqual(['', '']);
    proxy.set({ kind: 'pass' });
    await until(() => line.got() === 'hello', 'the held bytes');
  });

  it('that stalls one way carries the other', async () => {
    const line = await dial();
    line.socket.write('1');
    await until(() => line.got() === '1', 'the first echo');
    proxy.set({ kind: 'stall', only: 'down' });
    line.socket.write('2');
    await until(() => heard === '12', 'the way up');
    expect(line.got()).toBe('1');
  });

  it('that drops bytes says nothing, and breaks the connection once it heals', async () => {
    const line = await dial();
    proxy.set({ kind: 'drop' });
    line.socket.write('lost');
    await sleep(50);
    expect([heard, line.closed()]).toEqual(['', false]);
    proxy.set({ kind: 'pass' });
    await until(line.closed, 'the reset');
  });

  it('cuts a connection after the given bytes, and refuses all of them in a reset', async () => {
    const line = await dial();
    proxy.set({ kind: 'cut_after', bytes: 3 });
    line.socket.write('abcdef');
    await until(line.closed, 'the cut');
    expect(line.got()).toBe('abc');
    proxy.set({ kind: 'reset' });
    const refused = await dial();
    await until(refused.closed, 'the refusal');
  });

  it('leaves a client alone whose server is gone', async () => {
    const line = await dial();
    line.socket.write('1');
    await until(() => line.got() === '1', 'the first echo');
    proxy.set({ kind: 'half_open' });
    line.socket.write('2');
    await sleep(50);
    expect([heard, line.closed()]).toEqual(['1', false]);
    proxy.set({ kind: 'pass' });
    await until(line.closed, 'the reset');
  });
});
