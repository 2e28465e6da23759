#!/usr/bin/env node
/**
 * The dashboard in a real browser against the real stack: gateway, workers, simulator. Every screen light, dark, on a phone and in Korean,
 * empty, loading, failing and out of date, with a picture of each; axe on each; hostile texts in every place that shows what a model, a tool
 * or a person wrote; all that a person does, on both queue backends. What people read goes to stderr, the last line on stdout is one JSON
 * document. The exit code is 0 only when all of it is as it must be.
 *
 *   npm run test:browser [-- --out FOLDER] [--backend postgres|redis|both] [--only screens,DEED,…] [--short]
 *
 * The default folder is .bullpen/browser. With both backends, screens and measures are taken on Postgres, the deeds are done on both.
 * The short form looks at each screen twice (light and wide, dark and narrow), leaves out the pictures of the README, and does each deed
 * once, one after the other: on the second backend what depends on it, which is what is told while it happens; on the first all else.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { copyOldWay, findInOutput, foldedCards, longArguments } from './deeds/cards.mjs';
import { drawColumns, importTask, lookBeforeSharing, writePolicy } from './deeds/house.mjs';
import { answerOnce, answerTooEarly, answerTwice, sevenTabs, typeKorean } from './deeds/inbox.mjs';
import { loseNoLine } from './deeds/lines.mjs';
import { pageManyTasks } from './deeds/many.mjs';
import { moveTask, readModes } from './deeds/modes.mjs';
import { deepTree, followEnd, keysOfTask, pictureElsewhere, wrongClock } from './deeds/reading.mjs';
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
import { EMPTY_SCREENS, LIGHT, LOOKS, PLACES, screensOf, SHORT_LOOKS, visitScreens } from './screens.mjs';
import { seed } from './seed.mjs';
import { startStack } from './stack.mjs';
import { visitStates } from './states.mjs';
import { Watch } from './watch.mjs';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const log = (line) => process.stderr.write(`${line}\n`);

/** What no backend makes a difference to, and what is measured: one after the other. */
const ONCE = [
  ...[answerTooEarly, answerOnce, answerTwice, typeKorean, sevenTabs],
  ...[openBigTask, streamFast, parseHostile, sayInKorean, askIsOver, takeDocsPictures],
  ...[foldedCards, longArguments, findInOutput, copyOldWay],
  ...[followEnd, deepTree, keysOfTask, wrongClock, pictureElsewhere],
  ...[lookBeforeSharing, importTask, writePolicy, drawColumns, readModes, moveTask],
];
/** Done on each backend: the two rows side by side, for most of it is waiting. */
const DEEDS = [
  [submitAndWatch, approveEdited, answerQuestion, answerTogether],
  [retryFailed, retryMany, restoreCheckpoint, forkCheckpoint, cancelTree],
];
/** Then those that would be in the way of others. */
const ALONE = [pauseQueue, loseNoLine];
/** What the queue's backend could break, for the short form. */
const OF_BACKEND = [submitAndWatch, answerQuestion, cancelTree, pauseQueue, loseNoLine];

/** What the short form does on the first backend. */
const SHORT = [...ONCE, ...DEEDS.flat()].filter(
  (deed) => deed !== takeDocsPictures && !OF_BACKEND.includes(deed),
);

/** Those of the README can still be taken. */
function takeDocsPictures(given) {
  return takePictures(given, join(given.out, 'docs'));
}

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: '.bullpen/browser' },
    backend: { type: 'string', default: 'both' },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
});

async function main() {
  const out = resolve(root, options.out);
  mkdirSync(out, { recursive: true });
  const began = performance.now();
  const browser = await launch();
  const report = { screens: 0, axeSerious: 0, injections: 0, deeds: {}, watched: {} };
  const [first, second] = options.backend === 'both' ? ['postgres', 'redis'] : [options.backend];
  const given = { browser, out, report, log };
  try {
    await onStack(first, given, async (here) => {
      if (isWanted('screens')) await showAll(here);
      await doAll(here, second, given);
      // Last: with so many tasks everything else would be another test.
      await inARow([pageManyTasks], here);
    });
    if (options.short && second !== undefined)
      await onStack(second, given, (there) => inARow(OF_BACKEND, there));
  } finally {
    await browser.close();
  }
  const result = resultOf(report, Math.round((performance.now() - began) / 1_000));
  // Once more at the end, where somebody who sees that it failed looks first.
  for (const name of result.notDone) log(`not done: ${name}: ${JSON.stringify(report.deeds[name])}`);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return isAsItMustBe(result) ? 0 : 1;
}

/** Starts an installation on the backend for some work. What breaks off here is told like a deed. */
async function onStack(backend, given, work) {
  let stack = null;
  let watch = null;
  try {
    stack = await startStack(backend);
    watch = new Watch(stack.url);
    await work({ ...given, backend, stack, watch });
  } catch (error) {
    given.report.deeds[`${backend}.installation`] = { ok: false, error: error.stack };
    log(error.stack);
  } finally {
    await stack?.stop();
  }
  for (const line of watch?.lines ?? []) log(line);
  for (const [kind, count] of Object.entries(watch?.result() ?? {}))
    given.report.watched[kind] = (given.report.watched[kind] ?? 0) + count;
}

async function doAll(here, second, given) {
  if (options.short) return inARow(second === undefined ? [...SHORT, ...OF_BACKEND] : SHORT, here);
  await inARow(ONCE, here);
  if (second === undefined) return act(here);
  // Both are up before anything is done: a start beside all that would take too long on a small machine.
  return onStack(second, given, (there) => Promise.all([act(here), act(there)]));
}

async function act(here) {
  await Promise.all(DEEDS.map((row) => inARow(row, here)));
  await inARow(ALONE, here);
}

async function inARow(deeds, here) {
  for (const deed of deeds) {
    if (!isWanted(deed.name)) continue;
    const name = `${here.backend}.${deed.name}`;
    here.report.deeds[name] = await done(name, deed, { ...here, opened: [] });
    log(`${name}: ${JSON.stringify(here.report.deeds[name])}`);
  }
}

const isWanted = (name) => options.only?.split(',').includes(name) ?? true;

/** One that breaks off has failed, and leaves a picture of where; the others are done all the same. */
async function done(name, deed, given) {
  const began = performance.now();
  try {
    return { ...(await deed(given)), ms: Math.round(performance.now() - began) };
  } catch (error) {
    for (const context of given.opened) {
      const page = context.pages().at(-1);
      await page?.screenshot({ path: join(given.out, `failed-${name}.png`) });
      await context.close();
    }
    return { ok: false, error: error.stack };
  }
}

async function showAll(here) {
  await visitScreens(here, [LIGHT], EMPTY_SCREENS, 'empty');
  const texts = payloads();
  const shown = await seed(here.stack, texts);
  log(`${texts.length} hostile texts in ${shown.tasks} tasks, ${shown.asks} of them ask`);
  await visitScreens(here, options.short ? SHORT_LOOKS : LOOKS, screensOf(shown));
  await visitStates(here, [...PLACES, { name: 'task', path: `/tasks/${shown.changed}` }]);
  here.report.injections = texts.length;
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
  const { jsKbGzip, notDone } = result;
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
  return none.every((count) => count === 0 || count === null) && jsKbGzip <= 150;
}

process.exitCode = await main();
