#!/usr/bin/env node
/**
 * The dashboard in a real browser against the real stack: gateway, workers, simulator. Every screen light, dark, on a phone and in Korean,
 * empty, loading, failing and out of date, with a picture of each; axe on each; hostile texts in every place that shows what a model, a tool
 * or a person wrote; all that a person does, on both queue backends. What people read goes to stderr, the last line on stdout is one JSON
 * document. The exit code is 0 only when all of it is as it must be.
 *
 *   npm run test:browser [-- --out FOLDER] [--backend postgres|redis|both] [--only DEED,DEED]
 *
 * The default folder is .bullpen/browser. With both backends, screens and measures are taken on Postgres, the deeds are done on both.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { answerOnce, answerTooEarly, answerTwice, sevenTabs, typeKorean } from './deeds/inbox.mjs';
import { loseNoLine } from './deeds/lines.mjs';
import { pageManyTasks } from './deeds/many.mjs';
import { askIsOver, openBigTask, parseHostile, sayInKorean, streamFast } from './deeds/task.mjs';
import { cancelTree, forkCheckpoint, pauseQueue, restoreCheckpoint } from './deeds/trees.mjs';
import {
  answerQuestion,
  answerTogether,
  approveEdited,
  retryFailed,
  retryMany,
  submitAndWatch,
} from './deeds/work.mjs';
import { launch } from './launch.mjs';
import { payloads } from './payloads.mjs';
import { takePictures } from './pictures.mjs';
import { LOOKS, visitScreens } from './screens.mjs';
import { seed, seedNothing } from './seed.mjs';
import { startStack } from './stack.mjs';
import { Watch } from './watch.mjs';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const log = (line) => process.stderr.write(`${line}\n`);

/** Done on each backend. */
const DEEDS = [
  ...[submitAndWatch, approveEdited, answerQuestion, answerTogether, retryFailed, retryMany],
  ...[restoreCheckpoint, forkCheckpoint, cancelTree, pauseQueue, loseNoLine],
];
/** What no backend makes a difference to. */
const ONCE = [
  ...[answerTooEarly, answerOnce, answerTwice, typeKorean, sevenTabs],
  ...[openBigTask, streamFast, parseHostile, sayInKorean, askIsOver],
  ...[takeDocsPictures, pageManyTasks],
];

/** Those of the README can still be taken. */
function takeDocsPictures(given) {
  return takePictures(given, join(given.out, 'docs'));
}

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: '.bullpen/browser' },
    backend: { type: 'string', default: 'both' },
    only: { type: 'string' },
  },
});

async function main() {
  const out = resolve(root, options.out);
  mkdirSync(out, { recursive: true });
  const began = performance.now();
  const browser = await launch();
  const report = { screens: 0, axeSerious: 0, injections: 0, deeds: {}, watched: {} };
  const [first, second] = options.backend === 'both' ? ['postgres', 'redis'] : [options.backend];
  try {
    await onStack(first, { browser, out, report }, [...ONCE, ...DEEDS], showAll);
    if (second !== undefined) await onStack(second, { browser, out, report }, DEEDS);
  } finally {
    await browser.close();
  }
  const result = resultOf(report, Math.round((performance.now() - began) / 1_000));
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return isAsItMustBe(result) ? 0 : 1;
}

/** Starts an installation on the backend, and does the deeds there. */
async function onStack(backend, given, deeds, before = async () => undefined) {
  const stack = await startStack(backend);
  const watch = new Watch(stack.url);
  try {
    const only = options.only?.split(',');
    if (only === undefined) await before({ ...given, stack, watch });
    for (const deed of deeds) {
      if (only !== undefined && !only.includes(deed.name)) continue;
      const name = `${backend}.${deed.name}`;
      given.report.deeds[name] = await done(name, deed, { ...given, stack, watch });
      log(`${name}: ${JSON.stringify(given.report.deeds[name])}`);
    }
  } finally {
    await stack.stop();
  }
  for (const line of watch.lines) log(line);
  for (const [kind, count] of Object.entries(watch.result()))
    given.report.watched[kind] = (given.report.watched[kind] ?? 0) + count;
}

/** One that breaks off has failed, and leaves a picture of where; the others are done all the same. */
async function done(name, deed, given) {
  const began = performance.now();
  try {
    return { ...(await deed(given)), ms: Math.round(performance.now() - began) };
  } catch (error) {
    for (const context of given.browser.contexts()) {
      const page = context.pages().at(-1);
      await page?.screenshot({ path: join(given.out, `failed-${name}.png`) });
      await context.close();
    }
    return { ok: false, error: error.stack };
  }
}

async function showAll(given) {
  const { stack, report } = given;
  await visitScreens({ ...given, log }, [LOOKS[0]], await seedNothing());
  const texts = payloads();
  const shown = await seed(stack, texts);
  log(`${texts.length} hostile texts in ${shown.tasks} tasks, ${shown.asks} of them ask`);
  await visitScreens({ ...given, log }, LOOKS, shown);
  report.injections = texts.length;
}

function resultOf({ watched, ...report }, seconds) {
  const { jsKbGzip } = JSON.parse(readFileSync(join(root, 'apps/dashboard/dist/first-load.json'), 'utf8'));
  const deeds = Object.entries(report.deeds);
  const measured = (field) => deeds.flatMap(([, deed]) => deed[field] ?? []);
  const worst = (field) => (measured(field).length === 0 ? null : Math.max(...measured(field)));
  return {
    ...{ screens: report.screens, axeSerious: report.axeSerious, ...watched, injections: report.injections },
    ...{ jsKbGzip, openTaskMs: worst('openTaskMs'), listMs: worst('listMs'), heapMb: worst('heapMb') },
    ...{ lostLines: worst('lostLines'), repeatedLines: worst('repeatedLines'), seconds },
    notDone: deeds.filter(([, { ok }]) => !ok).map(([name]) => name),
  };
}

function isAsItMustBe(result) {
  const { axeSerious, scriptsRun, violations, foreign, errors, lostLines, repeatedLines } = result;
  const { jsKbGzip, openTaskMs, listMs, heapMb, notDone } = result;
  const none = [
    axeSerious,
    scriptsRun,
    violations,
    foreign,
    errors,
    lostLines,
    repeatedLines,
    notDone.length,
  ];
  return (
    none.every((count) => count === 0 || count === null) &&
    [jsKbGzip <= 150, openTaskMs < 1_000, listMs < 300, heapMb < 150].every(Boolean)
  );
}

process.exitCode = await main();
