/**
 * Which mode a text asks for, by rules: no model call, the same answer for the same text. Words that are quoted, pasted or denied do not
 * count; a question about a thing is not an order to work on it; the thing that something is done with counts more than the things it is
 * for. What is unsure is said to be, so that somebody asks.
 */
import { IDLE } from '../modes/machine.js';
import { clausesOf, type Clause } from './clauses.js';
import type { Cue } from './cue.js';
import { ENGLISH_CUES } from './cues-english.js';
import { ENGLISH_SPECIAL_CUES } from './cues-english-special.js';
import { KOREAN_CUES } from './cues-korean.js';
import { namedMode } from './named-mode.js';
import { speechOf, type Material } from './speech.js';

export interface Suggestion {
  readonly mode: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** False: ask before acting on it. */
  readonly isSure: boolean;
  /** The words that led to it, for people. */
  readonly reason: string;
  /** The next best, best first. */
  readonly others: readonly { readonly mode: string; readonly confidence: number }[];
}

export interface SuggestContext {
  /** The mode that a task is in: "go on" means it. */
  readonly current?: string | undefined;
}

const CUES: readonly Cue[] = [...ENGLISH_CUES, ...ENGLISH_SPECIAL_CUES, ...KOREAN_CUES];

interface Vote {
  readonly mode: string;
  readonly weight: number;
  readonly words: string;
  /** No word of this work: only how the sentence is made, or a verb that goes with any work. It chooses, and is never sure. */
  readonly isVague: boolean;
}

/** Below it, somebody should be asked. */
const SURE = 0.55;
/** The most that vague votes alone can make of it. */
const VAGUE = 0.45;
/** A vote of this weight is as good as an order. */
const PLAIN = 1.7;
const ON_A_QUESTION = 0.3;
const ON_A_THOUGHT = 0.35;
/** For what comes behind `for`, `of`, `about`, or before `의`, `에 대한`: it says which one, and not what to do. */
const ON_A_DETAIL = 0.45;
/** For work that a question of where or who is about. */
const ON_WHAT_IS_SOUGHT = 0.6;
/** For what an order begins with in English, and ends with in Korean: that is what is to be done. */
const ON_THE_ORDER = 1.12;
/** For a thing that nothing is to be done with. */
const ON_A_MENTION = 0.25;

const GO_ON =
  /^\s*(?:(?:please )?(?:go on|continue|carry on|keep going|proceed)|계속\s*(?:해\s*(?:줘|주세요)?|하자|진행.*)?|이어서\s*(?:해|진행).*)[\s.!~요]*$/iu;

export function suggestMode(text: string, { current }: SuggestContext = {}): Suggestion {
  if (current !== undefined && GO_ON.test(text)) return plain(current, 'it goes on with what is under way');
  const named = namedMode(text);
  if (named !== null) return plain(named.mode, `it names the mode: “${named.words}”`);
  const { said, pasted } = speechOf(text);
  const votes = [...clausesOf(said).flatMap(votesOf), ...materialVotes(pasted)];
  const [best, ...others] = ranked(votes);
  if (best === undefined) return nothingFound(said);
  const total = best.weight + (others[0]?.weight ?? 0);
  const most = best.isVague ? VAGUE : 1;
  const confidence = Math.min(most, best.weight / PLAIN) * (best.weight / total);
  return {
    mode: best.mode,
    confidence: rounded(confidence),
    isSure: confidence >= SURE,
    reason: `it says ${best.words.map((words) => `“${words}”`).join(', ')}`,
    others: others
      .slice(0, 3)
      .map(({ mode, weight }) => ({ mode, confidence: rounded(weight / (total + weight)) })),
  };
}

function plain(mode: string, reason: string): Suggestion {
  return { mode, confidence: 1, isSure: true, reason, others: [] };
}

/** A few words without any sign are small talk, or a thing of which nobody knows what is to be done with it. */
function nothingFound(said: string): Suggestion {
  const isChatter = !/[\p{L}\p{N}]{2}/u.test(said) || /^[ㅋㅎㅠㅜ\s.!~?]+$/u.test(said);
  const reason = isChatter ? 'nothing is asked for' : 'no word of it says what to do';
  return { mode: IDLE, confidence: isChatter ? 0.9 : 0.2, isSure: isChatter, reason, others: [] };
}

/** A cue that a clause has. */
interface Hit {
  readonly cue: Cue;
  readonly words: string;
  readonly at: number;
  readonly end: number;
  /** It only says more about something else. */
  readonly isDetail: boolean;
}

function votesOf(clause: Clause): Vote[] {
  const hits = CUES.flatMap((cue) => hitsOf(cue, cue.kind === 'sign' ? clause.whole : clause.text));
  const votes = hits.map((hit) => ({
    mode: hit.cue.mode,
    weight: hit.cue.weight * scale(hit, clause, hits),
    words: hit.words,
    isVague: hit.cue.isVague,
  }));
  return votes.some(({ weight }) => weight >= 1) ? votes : [...votes, ...usual(clause)];
}

/** What a clause of its kind most often asks for, where no word of it says more. */
function usual({ kind, text }: Clause): Vote[] {
  const mode = USUAL[kind];
  return mode === null ? [] : [{ ...mode, words: text.trim().slice(0, 40), isVague: true }];
}

const USUAL: Readonly<Record<Clause['kind'], Pick<Vote, 'mode' | 'weight'> | null>> = {
  question: { mode: 'context_navigation', weight: 1.6 },
  order: { mode: 'implementation', weight: 1.5 },
  report: { mode: 'debug', weight: 0.84 },
  words: null,
};

function hitsOf(cue: Cue, text: string): Hit[] {
  const found = cue.pattern.exec(text);
  if (found === null) return [];
  const end = found.index + found[0].length;
  const at = found.index;
  return [
    { cue, at, end, words: found[0].trim(), isDetail: cue.kind !== 'question' && isDetail(text, at, end) },
  ];
}

function scale(hit: Hit, clause: Clause, all: readonly Hit[]): number {
  const { cue, isDetail } = hit;
  return (
    (isTheOrder(hit, clause, all) ? ON_THE_ORDER : 1) *
    (all.some((other) => isHeadOf(other, hit)) ? ON_A_DETAIL : 1) *
    (clause.kind === 'question' && !cue.isAsked ? ON_A_QUESTION : 1) *
    (clause.isWondering && cue.mode !== IDLE ? ON_A_THOUGHT : 1) *
    (isDetail ? ON_A_DETAIL : 1) *
    (cue.kind !== 'question' && all.some((other) => asksForPlace(other.cue)) ? ON_WHAT_IS_SOUGHT : 1) *
    (cue.kind === 'topic' &&
    !cue.isAsked &&
    clause.kind !== 'order' &&
    !all.some((other) => other.cue.kind === 'act')
      ? ON_A_MENTION
      : 1)
  );
}

/** Whether a word is the verb of an order: the first in English, the last in Korean. */
function isTheOrder({ cue, at, end }: Hit, { kind, text }: Clause, all: readonly Hit[]): boolean {
  if (kind !== 'order' || cue.kind !== 'act' || cue.isVague) return false;
  const acts = all.filter((other) => other.cue.kind === 'act' && !other.cue.isVague);
  return /[가-힣]/u.test(text)
    ? acts.every((other) => other.end <= end)
    : acts.every((other) => other.at >= at);
}

/** Of nouns in a row, the last says what it is: a benchmark *guide*, 커밋 *리뷰*. */
function isHeadOf(other: Hit, { cue, end }: Hit): boolean {
  if (
    cue.kind === 'question' ||
    cue.kind === 'sign' ||
    other.cue.mode === cue.mode ||
    other.cue.mode === 'implementation'
  )
    return false;
  if (other.cue.kind !== 'topic' && other.cue.kind !== 'act') return false;
  const gap = other.at - end;
  return gap >= 0 && gap <= 1;
}

function asksForPlace({ kind, weight }: Cue): boolean {
  return kind === 'question' && weight > 4;
}

const BEFORE_DETAIL =
  /\b(?:for|of|about|in|on|with|by|against|after|before|during|from|as)\s+(?:(?:the|a|an|our|my|your|this|that|each|every|all|its)\s+)?(?:[\w-]+\s+){0,2}$/u;
const BEHIND_DETAIL =
  /^[가-힣]*?(?:의|에\s*대한|에\s*관한|용|에서|관련|에\s*쓰는|할\s*때|하는|한|했던|된|되는)\s+\S/u;

/** Whether a word only says more about something else. What a clause begins with never does. */
function isDetail(text: string, from: number, to: number): boolean {
  return (
    (from > 0 && BEFORE_DETAIL.test(text.slice(Math.max(0, from - 80), from))) ||
    BEHIND_DETAIL.test(text.slice(to, to + 40))
  );
}

/** A pasted trace is a fault, unless an order says what else to do with it. */
function materialVotes(pasted: ReadonlySet<Material>): Vote[] {
  if (pasted.has('trace')) return [{ mode: 'debug', weight: 2.8, words: 'a pasted error', isVague: false }];
  return pasted.has('log') ? [{ mode: 'debug', weight: 1.5, words: 'a pasted log', isVague: true }] : [];
}

interface Rank {
  readonly mode: string;
  readonly weight: number;
  readonly isVague: boolean;
  readonly words: readonly string[];
}

/** The strongest vote of a mode counts whole, further ones a little. */
function ranked(votes: readonly Vote[]): readonly Rank[] {
  const ranks = [...groupByMode(votes)].map(([mode, all]): Rank => {
    const [first, ...more] = [...all].sort((a, b) => b.weight - a.weight);
    const extra = more.reduce((sum, { weight }) => sum + weight, 0);
    return {
      mode,
      weight: (first?.weight ?? 0) + Math.min(1, 0.2 * extra),
      isVague: all.every(({ isVague, weight }) => isVague || weight < 0.8),
      words: all.slice(0, 2).map(({ words }) => words),
    };
  });
  return ranks.filter(({ weight }) => weight > 0.4).sort((a, b) => b.weight - a.weight);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function groupByMode(votes: readonly Vote[]): ReadonlyMap<string, readonly Vote[]> {
  const groups = new Map<string, Vote[]>();
  for (const vote of votes) groups.set(vote.mode, [...(groups.get(vote.mode) ?? []), vote]);
  return groups;
}
