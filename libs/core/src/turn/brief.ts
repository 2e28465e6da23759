/** What a run tells its agent about the place: once at the start of the task, and rules of folders when the agent comes there. */
import type { Briefing, RuleFile } from '@bullpen/contracts';
import { joiningRules, toldRules } from '../conversation/briefing-text.js';
import type { Masker } from '../masking/masker.js';
import { contextOf } from './call.js';
import { policyOf } from './decide-call.js';
import type { Run } from './run.js';
import { DATE_NEWS } from '../task/answer-end.js';
import type { RequestMessage } from '../task/history.js';
import type { ToolCallRecord } from '../task/task.js';

/** So many files with rules are taken into one task. */
const MOST_RULES = 50;

/** Looks around once in the life of a task. What was found is stored with the next step, before any model reads it. */
export async function brief(run: Run, signal: AbortSignal): Promise<void> {
  const { state, deps, workspace } = run;
  if (state.task.briefing !== null || deps.surroundings === undefined) return;
  const found = await deps.surroundings.brief(
    state.task,
    workspace.path,
    policyOf(run).rules.network,
    signal,
  );
  state.record({ patch: { briefing: masked(found, deps.masker) } });
}

/** The rules of folders that the calls of this turn were the first to touch, as texts for the next message. */
export async function rulesOfPlaces(run: Run): Promise<readonly string[]> {
  const { state, deps, workspace } = run;
  const { briefing } = state.task;
  if (briefing === null || deps.surroundings === undefined || state.messages.at(-1)?.role !== 'assistant')
    return [];
  const places = await Promise.all(state.toolCalls.map((call) => placesOf(run, call)));
  const folders = [...new Set(places.flat().flatMap(foldersAbove))].sort();
  if (folders.length === 0) return [];
  const known = new Set([...briefing.rules.map(({ path }) => path), ...toldRules(state.requestMessages)]);
  const room = MOST_RULES - briefing.rules.length;
  const rules = (await deps.surroundings.rulesIn(workspace.path, folders))
    .filter(({ path }) => !known.has(path))
    .slice(0, Math.max(0, room))
    .map((rule) => maskedRule(rule, deps.masker));
  if (rules.length > 0)
    state.record({ patch: { briefing: { ...briefing, rules: [...briefing.rules, ...rules] } } });
  return rules.filter(({ text }) => text !== '').map(joiningRules);
}

/** The date, for an agent whose task has gone on into another day; what it was told before is the day of the last such text, or of the start. */
export function tellDate({ state, deps }: Run): readonly string[] {
  const { briefing } = state.task;
  const start = /^Date: (.+)$/m.exec(briefing?.environment ?? '')?.[1];
  if (start === undefined) return [];
  const today = new Date(deps.now()).toISOString().slice(0, 10);
  return today === (lastDate(state.requestMessages) ?? start) ? [] : [`${DATE_NEWS}${today}.`];
}

function lastDate(messages: readonly RequestMessage[]): string | undefined {
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'user') continue;
    const told = content.findLast((block) => block.type === 'text' && block.text.startsWith(DATE_NEWS));
    if (told?.type === 'text') return told.text.slice(DATE_NEWS.length, -1);
  }
  return undefined;
}

/** Where a call that has run has been, found again from what is stored: a crash in between changes nothing. */
async function placesOf(run: Run, call: ToolCallRecord): Promise<readonly string[]> {
  const parsed =
    call.isError || call.status !== 'done' ? undefined : run.tools.get(call.tool)?.parse(call.arguments);
  if (!parsed?.ok) return [];
  try {
    const facts = await parsed.call.inspect?.(contextOf(run, call));
    return (facts?.paths ?? []).filter(({ place }) => place === 'inside').map(({ path }) => path);
  } catch {
    // The call itself has succeeded; what it touched is gone since, and so are its rules.
    return [];
  }
}

/** The folders on the way to a path, and the path itself, which may be one; the workspace's own is none of them. */
function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

function masked({ environment, rules, items }: Briefing, masker: Masker): Briefing {
  return {
    environment: masker.mask(environment),
    rules: rules.map((rule) => maskedRule(rule, masker)),
    items: items.map((item) => ({ ...item, name: masker.mask(item.name), text: masker.mask(item.text) })),
  };
}

function maskedRule(rule: RuleFile, masker: Masker): RuleFile {
  return { ...rule, text: masker.mask(rule.text) };
}
