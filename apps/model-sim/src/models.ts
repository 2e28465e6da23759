/** The models that the simulator lists. It answers for every `claude-…` and `sim-…` name; these are the ones it knows something of. */
import { ApiError, invalidRequest } from './api-error.js';
import { checkModelName, outputLimit } from './validation/model-name.js';

/** Newest first, as the API lists them. */
const LISTED = [
  'claude-fable-5-1',
  'claude-mythos-5-1',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-fable-5',
  'claude-mythos-5',
  'claude-opus-5',
  'claude-sonnet-5',
  'claude-opus-4-8',
  'claude-opus-4-7',
  'claude-opus-4-6',
  'claude-sonnet-4-6',
  'claude-opus-4-5',
  'claude-sonnet-4-5',
  'claude-haiku-4-5',
] as const;

const LINES = ['fable', 'mythos', 'opus', 'sonnet', 'haiku'] as const;
const SMALL_WINDOW = /-4-5$/;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;

export interface ModelInfo {
  type: 'model';
  id: string;
  display_name: string;
  /** The API's own value for a day that is not known. */
  created_at: string;
  lifecycle: 'active';
  line: (typeof LINES)[number] | null;
  max_input_tokens: number;
  max_tokens: number;
  capabilities: null;
  deprecated_at: null;
  retires_at: null;
}

export interface ModelPage {
  data: ModelInfo[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

/** A page of the models. Throws `ApiError` (400) for a limit or a cursor that the API would refuse. */
export function modelPage(query: Readonly<Record<string, unknown>>): ModelPage {
  const limit = limitOf(query['limit']);
  const [after, before] = [placeOf(query['after_id'], 'after_id'), placeOf(query['before_id'], 'before_id')];
  if (after !== null && before !== null) throw invalidRequest('before_id and after_id cannot both be given');
  const from = before === null ? (after ?? -1) + 1 : Math.max(0, before - limit);
  const to = before ?? from + limit;
  const data = LISTED.slice(from, to).map(infoOf);
  return {
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: before === null ? to < LISTED.length : from > 0,
  };
}

/** One model, by its id or by the id with a date. Throws the API's 404 for a name that it does not answer for. */
export function modelInfo(id: string): ModelInfo {
  checkModelName(id);
  return infoOf(id.replace(/-\d{8}$/, ''));
}

function infoOf(id: string): ModelInfo {
  return {
    type: 'model',
    id,
    display_name: displayNameOf(id),
    created_at: '1970-01-01T00:00:00Z',
    lifecycle: 'active',
    line: LINES.find((line) => id.includes(line)) ?? null,
    max_input_tokens: windowOf(id),
    max_tokens: outputLimit(id),
    capabilities: null,
    deprecated_at: null,
    retires_at: null,
  };
}

/** Tokens that a request to a model and its answer may have together. */
export function windowOf(id: string): number {
  return SMALL_WINDOW.test(id.replace(/-\d{8}$/, '')) ? 200_000 : 1_000_000;
}

/** `claude-opus-4-8` is shown as "Claude Opus 4.8 (simulated)". */
function displayNameOf(id: string): string {
  const name = id
    .replace(/(\d)-(\d)/, '$1.$2')
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ');
  return `${name} (simulated)`;
}

function limitOf(text: unknown): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw invalidRequest(`limit: Input should be a valid integer between 1 and ${MAX_LIMIT}`);
}

function placeOf(id: unknown, name: string): number | null {
  if (id === undefined) return null;
  const place = LISTED.findIndex((listed) => listed === id);
  if (place >= 0) return place;
  throw new ApiError(400, 'invalid_request_error', `${name}: no model has this id`);
}
