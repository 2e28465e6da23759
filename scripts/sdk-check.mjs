#!/usr/bin/env node
/**
 * Holds the model simulator against the real clients: installs Claude Code and the official SDK from the npm registry into a folder that is
 * thrown away, has them talk to a simulator, and prints what came of it as JSON. They are no dependencies of ours.
 *
 *   npm run test:sdk
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGES = ['@anthropic-ai/claude-code', '@anthropic-ai/sdk'];

/** Streams with thinking on, asks at once, counts, lists: the calls that people make. */
const SDK_CALLS = `
import Anthropic from '@anthropic-ai/sdk';
const client = new Anthropic({ apiKey: 'simulated', baseURL: process.argv[2], maxRetries: 0 });
const messages = [{ role: 'user', content: 'say hello' }];
const streamed = await client.messages
  .stream({ model: 'claude-sonnet-5-5', max_tokens: 2000, thinking: { type: 'adaptive' }, output_config: { effort: 'high' }, messages })
  .finalMessage();
const thinking = { type: 'enabled', budget_tokens: 1024 };
const plain = await client.messages.create({ model: 'claude-haiku-4-5', max_tokens: 4000, thinking, messages });
const { input_tokens: counted } = await client.messages.countTokens({ model: 'claude-haiku-4-5', messages });
const { data } = await client.models.list();
const ends = [streamed, plain].map(({ stop_reason: reason }) => reason);
console.log(JSON.stringify({ ends, counted, models: data.length }));
`;

const folder = mkdtempSync(join(tmpdir(), 'bullpen-sdk-'));
const simulator = spawn(process.execPath, [join(root, 'apps/model-sim/bin/model-sim.js'), '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});
try {
  const [{ port }] = await once(simulator, 'message');
  const url = `http://127.0.0.1:${port}`;
  install();
  const report = { claudeCode: runClaudeCode(url), sdk: runSdk(url) };
  console.log(JSON.stringify(report));
  const { claudeCode, sdk } = report;
  const ok =
    !claudeCode.isError && sdk.ends.every((end) => end === 'end_turn') && sdk.counted > 0 && sdk.models > 0;
  process.exitCode = ok ? 0 : 1;
} finally {
  simulator.kill();
  rmSync(folder, { recursive: true, force: true });
}

function install() {
  mkdirSync(join(folder, 'home'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error', ...PACKAGES],
    process.env,
  );
}

/** Its program is in a package of its own for each kind of machine; the script that would link it is not run. */
function runClaudeCode(url) {
  const program = join(
    folder,
    `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  );
  const { PATH } = process.env;
  const env = { PATH, HOME: join(folder, 'home'), ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'simulated' };
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };
  const out = run(program, ['-p', 'say hello', '--output-format', 'json'], { ...env, ...quiet });
  const { is_error: isError, num_turns: turns, result } = JSON.parse(out);
  return { isError: isError || !/hello/i.test(result), turns };
}

function runSdk(url) {
  writeFileSync(join(folder, 'calls.mjs'), SDK_CALLS);
  return JSON.parse(run(process.execPath, ['calls.mjs', url], process.env));
}

function run(program, args, env) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...{ cwd: folder, env, encoding: 'utf8', timeout: 300_000, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? ''}${stderr}${stdout}`);
}
