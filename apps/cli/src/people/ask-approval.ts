/** Asks whether a call may run: as it is, edited, or not, and whether that should be remembered. */
import type { ApprovalPayload, InteractionAnswer, Json, PolicyScope } from '@bullpen/contracts';
import { LATER, type AskTools } from './ask-tools.js';
import { editableOf, type Editable } from './edit-arguments.js';
import type { Choice, Prompts } from './prompts.js';

/** Shows the call and asks what to do with it; null when the person leaves it open. */
export async function askApproval(
  payload: ApprovalPayload,
  tools: AskTools,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const { prompts } = tools;
  const choices = [
    { value: 'approve', label: 'Approve', hint: 'this once' },
    { value: 'remember', label: 'Approve and remember …' },
    { value: 'edit', label: 'Edit, then approve …' },
    { value: 'deny', label: 'Deny', hint: 'the agent goes on without it' },
    { value: 'remark', label: 'Deny with a remark …' },
    LATER,
  ] as const;
  const draft: Draft = { text: null };
  for (;;) {
    const given = await prompts.choose({ message: 'May it run?', choices, words: REMARK }, signal);
    if (given === null || given.choice === 'later') return null;
    if (given.choice === null) return { decision: 'deny', remarks: given.words };
    if (given.choice === 'approve' || given.choice === 'deny') return { decision: given.choice };
    const answer =
      given.choice === 'remember'
        ? await askScope(prompts, signal)
        : given.choice === 'edit'
          ? await askArguments(payload, draft, tools, signal)
          : await askRemark(prompts, signal);
    // Gone back: the same question again.
    if (answer !== null) return answer;
  }
}

const REMARK = { send: 'Deny it, with this remark' } as const;

async function askScope(prompts: Prompts, signal: AbortSignal): Promise<InteractionAnswer | null> {
  const choices: Choice<PolicyScope | 'back'>[] = [
    { value: 'task', label: 'In this task' },
    { value: 'project', label: 'In this project', hint: 'all tasks on the same folder' },
    { value: 'installation', label: 'Everywhere' },
    BACK,
  ];
  const given = await prompts.choose({ message: 'Remember this where?', choices, words: null }, signal);
  const remember = given?.choice ?? 'back';
  return remember === 'back' ? null : { decision: 'approve', remember };
}

const BACK = { value: 'back', label: 'Back' } as const;

async function askRemark(prompts: Prompts, signal: AbortSignal): Promise<InteractionAnswer | null> {
  const remarks = await prompts.write('What should the agent know?', REMARK, signal);
  return remarks === null ? null : { decision: 'deny', remarks };
}

/** What was edited and could not be taken: the next try goes on from it. */
interface Draft {
  text: string | null;
}

/** A command is edited on the line; anything else in the editor. */
async function askArguments(
  payload: ApprovalPayload,
  draft: Draft,
  tools: AskTools,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const args = payload.arguments;
  const fields = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : {};
  const { command } = fields;
  if (typeof command === 'string' && !command.includes('\n')) {
    const words = { send: 'Approve this command', initial: command };
    const edited = await tools.prompts.write('Run instead', words, signal);
    return edited === null ? null : { decision: 'approve', arguments: { ...fields, command: edited } };
  }
  return askEdited(editableOf(payload.tool, args), draft, tools, signal);
}

async function askEdited(
  editable: Editable,
  draft: Draft,
  tools: AskTools,
  signal: AbortSignal,
): Promise<InteractionAnswer | null> {
  const choices = [
    { value: 'approve', label: 'Approve it as edited' },
    { value: 'again', label: 'Edit it again …' },
    BACK,
  ] as const;
  for (;;) {
    const edited = await tools.edit(draft.text ?? editable.text, editable.ending);
    if (edited === null) return null;
    draft.text = edited;
    const args = parsed(editable, edited, tools);
    if (args === null) return null;
    tools.show(edited);
    const given = await tools.prompts.choose(
      { message: 'May this run instead?', choices, words: null },
      signal,
    );
    if (given?.choice === 'approve') return { decision: 'approve', arguments: args.value };
    if (given?.choice !== 'again') return null;
  }
}

function parsed(editable: Editable, text: string, tools: AskTools): { readonly value: Json } | null {
  try {
    return { value: editable.argumentsWith(text) };
  } catch (error) {
    tools.warn(`That is not JSON, so nothing was sent; edit it again to fix it. ${String(error)}`);
    return null;
  }
}
