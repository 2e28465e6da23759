/**
 * What the known models take, as published (models overview, October 2026): windows, longest answers, and which settings of a
 * request each generation accepts. Prices are not here: they change with time, and these do not.
 */
import type { Effort, ModelProfile } from '@bullpen/contracts';

export interface ModelFacts {
  /** Ids without a date; `claude-sonnet-5-5` also stands for `claude-sonnet-5-5-20261007`. */
  readonly ids: readonly string[];
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** The ways to think that a request may ask for; the first is the one that a plain profile has. */
  readonly thinking: readonly ThinkingKind[];
  /** Empty: a request that names an effort is refused. */
  readonly efforts: readonly Effort[];
}

export type ThinkingKind = 'off' | 'adaptive' | 'budget';

const MILLION = 1_000_000;
const TO_HIGH = ['low', 'medium', 'high'] as const;
const TO_MAX = [...TO_HIGH, 'max'] as const;
const ALL_EFFORTS = [...TO_HIGH, 'xhigh', 'max'] as const;

const large = { contextWindow: MILLION, maxOutputTokens: 128_000 };
const small = { contextWindow: 200_000, maxOutputTokens: 64_000 };

const MODELS: readonly ModelFacts[] = [
  {
    ids: ['claude-fable-5-1', 'claude-mythos-5-1', 'claude-fable-5', 'claude-mythos-5'],
    ...large,
    thinking: ['adaptive'],
    efforts: ALL_EFFORTS,
  },
  {
    ids: ['claude-opus-5-5', 'claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7'],
    ...large,
    thinking: ['off', 'adaptive'],
    efforts: ALL_EFFORTS,
  },
  {
    ids: ['claude-sonnet-5-5', 'claude-sonnet-5', 'claude-haiku-5-5'],
    ...large,
    thinking: ['off', 'adaptive'],
    efforts: ALL_EFFORTS,
  },
  { ids: ['claude-opus-4-6'], ...large, thinking: ['off', 'adaptive', 'budget'], efforts: TO_MAX },
  {
    ids: ['claude-sonnet-4-6'],
    contextWindow: MILLION,
    maxOutputTokens: 64_000,
    thinking: ['off', 'adaptive', 'budget'],
    efforts: TO_MAX,
  },
  { ids: ['claude-opus-4-5'], ...small, thinking: ['off', 'budget'], efforts: TO_HIGH },
  {
    ids: ['claude-sonnet-4-5', 'claude-sonnet-4', 'claude-sonnet-4-0', 'claude-haiku-4-5'],
    ...small,
    thinking: ['off', 'budget'],
    efforts: [],
  },
  {
    ids: ['claude-opus-4', 'claude-opus-4-0', 'claude-opus-4-1'],
    contextWindow: 200_000,
    maxOutputTokens: 32_000,
    thinking: ['off', 'budget'],
    efforts: [],
  },
];

const FACTS = new Map(MODELS.flatMap((facts) => facts.ids.map((id) => [id, facts] as const)));

/** Null for a model that is not known. Only a date or `latest` may follow a known id: `claude-fable-5-2` is a model of its own. */
export function modelFacts(model: string): ModelFacts | null {
  return FACTS.get(model.replace(/-(\d{8}|latest)$/, '')) ?? null;
}

/** Pictures, and pages of documents, that one request may have: fewer where the window is small. */
export function mediaLimits({ contextWindow }: Pick<ModelProfile, 'contextWindow'>): number {
  return contextWindow >= MILLION ? 600 : 100;
}

/** Models that are not Claude, or newer than this table: the smallest window of today's, so that nothing is sent that is too long. */
const UNKNOWN = { contextWindow: 200_000, maxOutputTokens: 32_000, thinking: ['off'] as const };

/** The profile that the name of a model stands for. */
export function builtInProfile(model: string): ModelProfile {
  const { contextWindow, maxOutputTokens, thinking } = modelFacts(model) ?? UNKNOWN;
  return {
    name: model,
    provider: 'anthropic',
    model,
    baseUrl: null,
    keyName: null,
    region: null,
    project: null,
    contextWindow,
    maxOutputTokens,
    dialect: 'native',
    effort: null,
    thinking: thinking[0] === 'adaptive' ? 'adaptive' : 'off',
    cacheTtl: '5m',
    fallback: [],
    fallbackOnRefusal: false,
    price: null,
  };
}

/** What a profile asks of a model that the model refuses; null when it is fine or the model is not known. */
export function settingIssue({ model, thinking, effort, maxOutputTokens }: ModelProfile): string | null {
  const facts = modelFacts(model);
  if (facts === null) return null;
  if (maxOutputTokens > facts.maxOutputTokens)
    return `maxOutputTokens: ${model} answers with at most ${facts.maxOutputTokens} tokens`;
  const kind = typeof thinking === 'string' ? thinking : 'budget';
  if (!facts.thinking.includes(kind))
    return `thinking: ${model} does not take ${told(kind)}; it takes ${facts.thinking.map(told).join(' or ')}`;
  // Published for Opus 5 alone.
  if (kind === 'off' && model.startsWith('claude-opus-5') && (effort === 'xhigh' || effort === 'max'))
    return `thinking: ${model} thinks at effort ${effort}; set it to adaptive`;
  if (effort !== null && !facts.efforts.includes(effort))
    return facts.efforts.length === 0
      ? `effort: ${model} takes none`
      : `effort: ${model} takes ${facts.efforts.join(', ')}`;
  return null;
}

function told(kind: ThinkingKind): string {
  return kind === 'budget' ? 'a budget (budgetTokens)' : kind;
}
