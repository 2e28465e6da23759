/** The conditions of rules, each a pure function of the mode context. */
import type { ModeCondition } from '@bullpen/contracts';
import type { ModeContext } from '../../task/mode-context.js';
import type { ModeFacts } from './machine.js';

/** With more changed files than this, a change is a large one. */
const LARGE_CHANGE = 5;

const CONDITIONS: Readonly<Record<ModeCondition, (context: ModeContext) => boolean>> = {
  large_change: ({ changed }) => changed.length > LARGE_CHANGE,
  has_pending_changes: ({ changed }) => changed.length > 0,
  has_errors: ({ lastError }) => lastError !== null,
  tests_passed: ({ lastTest }) => lastTest?.passed === true,
};

/** What holds now. */
export function factsOf(context: ModeContext): ModeFacts {
  return {
    large_change: CONDITIONS.large_change(context),
    has_pending_changes: CONDITIONS.has_pending_changes(context),
    has_errors: CONDITIONS.has_errors(context),
    tests_passed: CONDITIONS.tests_passed(context),
  };
}
