/** Answers from flags, checked against the kind of what is asked; what the payload has to say is checked by the gateway. */
import type {
  PlanAutonomy,
  InteractionAnswer,
  InteractionKind,
  InteractionView,
  Json,
  PolicyScope,
} from '@bullpen/contracts';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';

export interface ApproveFlags {
  /** Parsed already. */
  readonly args?: Json;
  readonly remark?: string;
  readonly remember?: PolicyScope;
  readonly autonomy?: PlanAutonomy;
  /** The text of the edited plan. */
  readonly plan?: string;
}

/** Yes to an approval or a plan. Throws with exit code 2 for another kind, or for flags of the other. */
export function approval({ id, kind }: InteractionView, flags: ApproveFlags): InteractionAnswer {
  const { args, remark, remember, autonomy, plan } = flags;
  const remarks = remark === undefined ? {} : { remarks: remark };
  if (kind === 'plan') {
    refuse({ '--args': args, '--remember': remember }, id, kind);
    return {
      decision: 'accept',
      autonomy: autonomy ?? 'agent',
      ...(plan === undefined ? {} : { plan, ...stepsOf(plan) }),
      ...remarks,
    };
  }
  if (kind !== 'approval') throw wrongKind(id, kind);
  refuse({ '--autonomy': autonomy, '--plan': plan }, id, kind);
  return {
    decision: 'approve',
    ...(args === undefined ? {} : { arguments: args }),
    ...(remember === undefined ? {} : { remember }),
    ...remarks,
  };
}

/** No to an approval; a plan goes back with the remark, which it needs. */
export function denial({ id, kind }: InteractionView, remark: string | undefined): InteractionAnswer {
  if (kind === 'plan') {
    if (remark === undefined)
      throw new CliError(EXIT.usage, `${id} is a plan: say what should change with --remark.`);
    return { decision: 'revise', remarks: remark };
  }
  if (kind !== 'approval') throw wrongKind(id, kind);
  return { decision: 'deny', ...(remark === undefined ? {} : { remarks: remark }) };
}

export interface AnswerFlags {
  readonly choose?: readonly string[];
  readonly text?: string;
  readonly cancel?: boolean;
  readonly raise?: string;
  readonly stop?: boolean;
  readonly guidance?: string;
}

/** The answer to a question, a used-up budget or an agent that is stuck. Throws with exit code 2 for flags that do not fit. */
export function answerOf({ id, kind }: InteractionView, flags: AnswerFlags): InteractionAnswer {
  const { choose, text, cancel, raise, stop, guidance } = flags;
  const given = (...names: (keyof AnswerFlags)[]): Record<string, unknown> =>
    Object.fromEntries(names.map((name) => [name === 'text' ? 'text' : `--${name}`, flags[name]]));
  if (kind === 'question') {
    refuse(given('raise', 'stop', 'guidance'), id, kind);
    if (cancel) {
      refuse(given('choose', 'text'), id, 'question that you cancel');
      return { cancel: true };
    }
    if (choose === undefined && text === undefined)
      throw new CliError(EXIT.usage, `${id} is a question: answer with text or --choose, or --cancel it.`);
    return {
      ...(choose === undefined ? {} : { choices: [...choose] }),
      ...(text === undefined ? {} : { text }),
    };
  }
  if (kind === 'budget') {
    refuse(given('choose', 'text', 'cancel', 'guidance'), id, kind);
    if ((raise === undefined) === (stop !== true))
      throw new CliError(
        EXIT.usage,
        `${id} is about the budget: give --raise with the new limit, or --stop.`,
      );
    return raise === undefined ? { decision: 'stop' } : { decision: 'raise', limitUsd: raise };
  }
  if (kind !== 'mistakes') throw wrongKind(id, kind);
  refuse(given('choose', 'cancel', 'raise'), id, kind);
  const advice = guidance ?? text;
  if (stop && advice !== undefined) throw new CliError(EXIT.usage, 'Give advice or --stop, not both.');
  if (stop) return { decision: 'stop' };
  if (advice === undefined)
    throw new CliError(EXIT.usage, `${id} is about an agent that is stuck: give --guidance, or --stop.`);
  return { decision: 'continue', guidance: advice };
}

/**
 * The list items at the left margin below the heading "Steps", or without one all of them; without any, the steps stay as they were.
 */
export function stepsOf(plan: string): { steps?: string[] } {
  const listed = plan.split(/^#{1,6}\s+steps\s*$/im).at(-1) ?? plan;
  const steps = [...listed.matchAll(/^(?:[-*]|\d+[.)])\s+(?:\[[ x]\]\s+)?(\S.*)$/gm)].map(([, step = '']) =>
    step.trim().slice(0, 1_000),
  );
  return steps.length === 0 ? {} : { steps: steps.slice(0, 200) };
}

function refuse(flags: Readonly<Record<string, unknown>>, id: string, kind: string): void {
  const wrong = Object.keys(flags).find((name) => flags[name] !== undefined);
  if (wrong !== undefined) throw new CliError(EXIT.usage, `${id} is a ${kind}, which takes no ${wrong}.`);
}

const COMMANDS: Record<InteractionKind, string> = {
  approval: 'bullpen approve or bullpen deny',
  plan: 'bullpen approve or bullpen deny',
  question: 'bullpen answer',
  budget: 'bullpen answer --raise or --stop',
  mistakes: 'bullpen answer --guidance or --stop',
};

function wrongKind(id: string, kind: InteractionKind): CliError {
  return new CliError(
    EXIT.usage,
    `${id} is a ${kind === 'mistakes' ? 'question about how to go on' : kind}.`,
    [`answer it with ${COMMANDS[kind]}`],
  );
}
