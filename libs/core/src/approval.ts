/** The names under which the loop knows the policy's settings. */
export { decideApproval } from './policy/decide-approval.js';
export { narrowApprovals } from './policy/settings.js';
