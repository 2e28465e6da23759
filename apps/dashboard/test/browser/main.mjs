#!/usr/bin/env node
/**
 * The dashboard in a real browser against the real stack: gateway, workers, simulator. Every screen light, dark, on a phone and in Korean,
 * with a picture of each; axe on each; hostile texts in every place that shows what a model, a tool or a person wrote. What people read goes
 * to stderr, the last line on stdout is one JSON document. The exit code is 0 only when all of it is as it must be.
 *
 *   npm run test:browser [-- --out FOLDER]     default folder: .bullpen/browser
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { answerOnce, answerTooEarly, answerTwice, sevenTabs, typeKorean } from './deeds.mjs';
import { payloads } from './payloads.mjs';
import { LOOKS, visitScreens } from './screens.mjs';
import { seed, seedNothing } from './seed.mjs';
import { startStack } from './stack.mjs';
import { askIsOver, openBigTask, parseHostile, sayInKorean, streamFast } from './task.mjs';
import { Watch } from './watch.mjs';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const out = resolve(root, process.argv[process.argv.indexOf('--out') + 1 || Infinity] ?? '.bullpen/browser');
const log = (line) => process.stderr.write(`${line}\n`);

const DEEDS = [
  ...[answerTooEarly, answerOnce, answerTwice, typeKorean, sevenTabs],
  ...[openBigTask, streamFast, parseHostile, sayInKorean, askIsOver],
];

async function main() {
  mkdirSync(out, { recursive: true });
  const began = performance.now();
  const stack = await startStack(root);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    // Chromium refuses to run its sandbox as root.
    args: process.getuid() === 0 ? ['--no-sandbox'] : [],
  });
  const watch = new Watch(stack.url);
  const report = { screens: 0, axeSerious: 0, deeds: {} };
  try {
    await visitScreens({ browser, stack, watch, out, report, log }, [LOOKS[0]], await seedNothing());
    const texts = payloads();
    const shown = await seed(stack, texts);
    log(`${texts.length} hostile texts in ${shown.tasks} tasks, ${shown.asks} of them ask`);
    await visitScreens({ browser, stack, watch, out, report, log }, LOOKS, shown);
    for (const deed of DEEDS) {
      report.deeds[deed.name] = await deed({ browser, stack, watch });
      log(`${deed.name}: ${JSON.stringify(report.deeds[deed.name])}`);
    }
    report.injections = texts.length;
  } finally {
    await browser.close();
    await stack.stop();
  }
  const { jsKbGzip } = JSON.parse(readFileSync(join(root, 'apps/dashboard/dist/first-load.json'), 'utf8'));
  const result = {
    ...report,
    ...watch.result(),
    jsKbGzip,
    openTaskMs: report.deeds.openBigTask.openTaskMs,
    heapMb: report.deeds.openBigTask.heapMb,
    seconds: Math.round((performance.now() - began) / 1_000),
  };
  for (const line of watch.lines) log(line);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return isAsItMustBe(result) ? 0 : 1;
}

function isAsItMustBe({ axeSerious, scriptsRun, violations, foreign, errors, deeds }) {
  const all = [axeSerious, scriptsRun, violations, foreign, errors].every((count) => count === 0);
  return all && Object.values(deeds).every(({ ok }) => ok);
}

process.exitCode = await main();
