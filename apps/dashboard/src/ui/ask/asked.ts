/** What is asked, by its kind. A payload that this version does not know is shown as data. */
import {
  ApprovalPayload,
  BudgetPayload,
  MistakesPayload,
  PlanPayload,
  QuestionPayload,
  type InteractionKind,
  type InteractionView,
  type Json,
} from '@bullpen/contracts';
import type { IconName } from '../icon.js';

type Asked =
  | { readonly kind: 'approval'; readonly asked: ApprovalPayload }
  | { readonly kind: 'question'; readonly asked: QuestionPayload }
  | { readonly kind: 'plan'; readonly asked: PlanPayload }
  | { readonly kind: 'budget'; readonly asked: BudgetPayload }
  | { readonly kind: 'mistakes'; readonly asked: MistakesPayload }
  | { readonly kind: 'unknown' };

const ICONS: Readonly<Record<InteractionKind, IconName>> = {
  approval: 'terminal',
  question: 'question',
  plan: 'plan',
  budget: 'money',
  mistakes: 'stuck',
};

/** What is asked at a glance: a change of a file is no command. */
export function iconOf({ kind, payload }: InteractionView): IconName {
  const asked = kind === 'approval' ? ApprovalPayload.safeParse(payload).data : undefined;
  const isFile = asked !== undefined && commandOf(asked) === null && pathOf(asked) !== null;
  return isFile ? 'file' : ICONS[kind];
}

export function askedOf({ kind, payload }: InteractionView): Asked {
  const parsed = { kind, asked: SCHEMAS[kind].safeParse(payload).data };
  return parsed.asked === undefined ? { kind: 'unknown' } : (parsed as Asked);
}

const SCHEMAS = {
  approval: ApprovalPayload,
  question: QuestionPayload,
  plan: PlanPayload,
  budget: BudgetPayload,
  mistakes: MistakesPayload,
} as const;

/** The command of a call that runs one. */
export function commandOf(asked: Pick<ApprovalPayload, 'command' | 'arguments'>): string | null {
  if (asked.command !== undefined) return asked.command;
  const command = fieldsOf(asked.arguments)?.['command'];
  return typeof command === 'string' ? command : null;
}

/** The file that a call changes, if it is one. */
export function pathOf({ paths }: Pick<ApprovalPayload, 'paths'>): string | null {
  const written = (paths ?? []).filter(({ access }) => access === 'write');
  return written.length === 1 ? (written[0]?.path ?? null) : null;
}

export function fieldsOf(value: Json): Readonly<Record<string, Json>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}
