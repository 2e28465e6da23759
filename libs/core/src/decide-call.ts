/** The policy's word on one call of a run. */
import type { CommandPartView } from '@bullpen/contracts';
import { decideApproval } from './approval.js';
import type { Run } from './run.js';
import type { CallFacts, Tool } from './tool.js';

export interface CallDecision {
  readonly verdict: 'approve' | 'deny' | 'ask';
  readonly rule: string;
  readonly code?: string;
  readonly reason: string;
  readonly part?: string;
  readonly parts?: readonly CommandPartView[];
  /** The same where there is nobody to ask: an ask is a refusal that says what to do instead. */
  withoutAnyone(): CallDecision;
}

export function decideCall(run: Run, tool: Tool, _facts: CallFacts): CallDecision {
  const { verdict, rule, reason } = decideApproval(
    tool.name,
    tool.group,
    run.state.task.definition.approvals,
  );
  const decision: CallDecision = { verdict, rule, reason, withoutAnyone: () => decision };
  if (verdict !== 'deny' || tool.group === 'question') return decision;
  return { ...decision, verdict: 'ask', withoutAnyone: () => decision };
}
