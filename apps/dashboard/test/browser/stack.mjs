/** An installation of its own: what `bullpen up` starts, in a folder that is removed afterwards. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START_MS = 90_000;
const LEFT_OUT = ['DATABASE_URL', 'REDIS_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'];

export async function startStack(root) {
  const home = mkdtempSync(join(tmpdir(), 'bullpen-browser-'));
  const port = await freePort();
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !LEFT_OUT.includes(name)));
  const child = spawn(process.execPath, [join(root, 'apps/cli/bin/bullpen.js'), 'up'], {
    env: { ...env, BULLPEN_HOME: home, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await isReady(child);
  const url = `http://127.0.0.1:${port}`;
  const key = readFileSync(join(home, 'key'), 'utf8').trim();
  const call = (path, body) => request(url, key, path, body);
  return {
    url,
    home,
    call,
    /** Opens a page that is signed in. */
    signIn: async (page) => {
      const { url: link } = await call('/v1/login-links', {});
      await page.goto(link);
      await page.waitForURL((address) => !address.pathname.startsWith('/login'));
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function isReady(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`It did not start: ${said}`)), START_MS);
    const hear = (text) => {
      said += text;
      if (!said.includes('Bullpen is ready')) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`It ended with ${code}: ${said}`)));
  });
}

async function request(url, key, path, body) {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
