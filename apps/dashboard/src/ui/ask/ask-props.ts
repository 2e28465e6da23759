/** What every kind of ask is given. */
import type { InteractionView } from '@bullpen/contracts';
import type { AskLayout } from './ask-frame.js';

export interface AskProps {
  readonly view: InteractionView;
  /** `page`: as the right side of the inbox; `card`: among other things. */
  readonly layout: AskLayout;
  /** Its keys work: of several on a page, one has them. */
  readonly hasKeys: boolean;
  readonly onAnswered?: (view: InteractionView) => void;
}
