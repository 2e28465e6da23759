/** One thing that waits for a person: what exactly is asked, why, and how it can be answered. The same in the inbox and in a transcript. */
import type { ReactNode } from 'react';
import { ApprovalAsk } from './approval-ask.js';
import { askedOf } from './asked.js';
import { AskFrame } from './ask-frame.js';
import type { AskProps } from './ask-props.js';
import { BudgetAsk } from './budget-ask.js';
import { PlanAsk } from './plan-ask.js';
import { QuestionAsk } from './question-ask.js';
import { StuckAsk } from './stuck-ask.js';

/** Made anew for another ask, or another wording of it: a press that began on one can never end on the next. */
export function Ask(props: AskProps): ReactNode {
  return <AskOfKind key={`${props.view.id} ${props.view.hash}`} {...props} />;
}

function AskOfKind(props: AskProps): ReactNode {
  const content = askedOf(props.view);
  switch (content.kind) {
    case 'approval':
      return <ApprovalAsk {...props} asked={content.asked} />;
    case 'question':
      return <QuestionAsk {...props} asked={content.asked} />;
    case 'plan':
      return <PlanAsk {...props} asked={content.asked} />;
    case 'budget':
      return <BudgetAsk {...props} asked={content.asked} />;
    case 'mistakes':
      return <StuckAsk {...props} asked={content.asked} />;
    case 'unknown':
      return (
        <AskFrame {...props} title={props.view.title} refusal={null} actions={null}>
          <pre className="cmd">{JSON.stringify(props.view.payload, null, 2)}</pre>
        </AskFrame>
      );
  }
}
