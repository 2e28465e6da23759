import type { Invariant } from './invariant.js';

export const i10Budget: Invariant = {
  id: 'I10',
  title: "A root's budget bounds its whole tree",
  checks: [
    {
      counted: 'SELECT count(*) FROM budget_accounts WHERE limit_nano_usd IS NOT NULL',
      violating: `
        SELECT format('the tree of %s has spent %s nano-dollars of %s', root_id, spent_nano_usd, limit_nano_usd) AS violation
        FROM budget_accounts WHERE spent_nano_usd > limit_nano_usd`,
    },
    {
      counted: 'SELECT count(*) FROM budget_accounts',
      violating: `
        SELECT format('the account of %s is negative: spent %s, reserved %s', root_id, spent_nano_usd, reserved_nano_usd) AS violation
        FROM budget_accounts WHERE reserved_nano_usd < 0 OR spent_nano_usd < 0`,
    },
  ],
};
