/**
 * A store that keeps no registered value in what people and programs look at. Stored as they are: what the model said, for the
 * provider takes back only its own words; the arguments of calls, which have to run as they were meant; and what a person wrote to an
 * agent. Whoever shows these masks them.
 */
import type { DurableEventBody } from '@bullpen/contracts';
import type { Step, StepEnd, TaskStore } from '../ports/store.js';
import type { NewCheckpoint } from '../task/checkpoint.js';
import type { NewInteraction, TaskOutcome, ToolCallRecord } from '../task/task.js';
import type { Masker } from '../masking/masker.js';

/** The same store; each step is masked before it is stored. */
export function withMasking(store: TaskStore, masker: Masker): TaskStore {
  return { ...store, commit: (lease, step) => store.commit(lease, maskedStep(step, masker)) };
}

function maskedStep(step: Step, masker: Masker): Step {
  if (masker.names.length === 0) return step;
  const { todos } = step.patch;
  return {
    ...step,
    events: step.events.map((event) => masker.maskJson(event) as DurableEventBody),
    interactions: step.interactions.map((asked) => maskedInteraction(asked, masker)),
    toolCalls: step.toolCalls.map((call) => maskedCall(call, masker)),
    checkpoints: step.checkpoints.map((checkpoint) => maskedCheckpoint(checkpoint, masker)),
    setups: step.setups.map((setup) => ({ ...setup, text: masker.mask(setup.text) })),
    children: step.children.map((child) => ({ ...child, title: masker.mask(child.title) })),
    patch: todos === undefined ? step.patch : { ...step.patch, todos: masker.maskJson([...todos]) },
    end: maskedEnd(step.end, masker),
  };
}

/** Files may be named by anything. */
function maskedCheckpoint(checkpoint: NewCheckpoint, masker: Masker): NewCheckpoint {
  const { note, diffstat, changes, leftOut } = checkpoint;
  return { ...checkpoint, ...masker.maskJson({ note, diffstat, changes, leftOut: [...leftOut] }) };
}

function maskedInteraction(asked: NewInteraction, masker: Masker): NewInteraction {
  return { ...asked, title: masker.mask(asked.title), payload: masker.maskJson(asked.payload) };
}

function maskedCall(call: ToolCallRecord, masker: Masker): ToolCallRecord {
  const [output, fullOutput] = [ifAny(call.output, masker), ifAny(call.fullOutput, masker)];
  return { ...call, output, fullOutput, approval: masker.maskJson(call.approval) };
}

function maskedEnd(end: StepEnd | null, masker: Masker): StepEnd | null {
  switch (end?.kind) {
    case 'finish':
      return { ...end, outcome: maskedOutcome(end.outcome, masker) };
    case 'retry':
      return { ...end, failure: masker.maskJson(end.failure) };
    default:
      return end;
  }
}

/** How a task ended, as everybody may see it. */
export function maskedOutcome(outcome: TaskOutcome, masker: Masker): TaskOutcome {
  return {
    ...outcome,
    output: masker.maskJson(outcome.output),
    failure: masker.maskJson(outcome.failure),
  };
}

function ifAny(text: string | null, masker: Masker): string | null {
  return text === null ? null : masker.mask(text);
}
