/** Valid bodies beyond the examples of the API's description: with a place in them where anything may stand. */

/** Stands for any value at all. */
export const ANYTHING = '<anything>';

const prompt = 'Say hello in one sentence.';

export const MORE_BODIES: Readonly<Record<string, readonly object[]>> = {
  'POST /v1/tasks': [
    { prompt, input: ANYTHING },
    { prompt, input: { a: [ANYTHING, { b: ANYTHING }] } },
    { prompt, outputSchema: { type: 'object', properties: { a: ANYTHING } } },
    { prompt, outputSchema: { [ANYTHING]: ANYTHING, pattern: '(a+)+$' } },
    { prompt, metadata: { a: ANYTHING }, tags: [ANYTHING] },
    { prompt: ANYTHING, title: ANYTHING },
    { prompt, runAt: ANYTHING, deadlineAt: ANYTHING, limits: { costUsd: ANYTHING, turns: ANYTHING } },
    { prompt, workspace: { kind: 'path', path: ANYTHING }, priority: ANYTHING },
    { prompt, rules: { commands: { deny: [ANYTHING] }, files: ANYTHING }, asks: ANYTHING, retry: ANYTHING },
  ],
  'POST /v1/tasks/{id}/messages': [{ text: ANYTHING }, { text: prompt, strategy: ANYTHING }],
  'POST /v1/tasks/{id}/rewind': [{ turns: ANYTHING }, { messageId: ANYTHING }],
  'POST /v1/bulk-actions/preview': [
    {
      action: { verb: 'retry', mode: 'new', message: ANYTHING },
      filter: { createdAfter: ANYTHING, tag: ANYTHING },
    },
    {
      action: { verb: 'tag', add: [ANYTHING] },
      filter: { q: ANYTHING, failure: ANYTHING, archived: ANYTHING },
    },
    { action: { verb: ANYTHING }, ids: [ANYTHING] },
  ],
  'POST /v1/interactions/{id}/answer': [
    { answer: { decision: 'approve', arguments: ANYTHING } },
    { answer: { decision: 'deny', remarks: ANYTHING } },
    { answer: { decision: 'approve', remember: ANYTHING }, hash: ANYTHING },
    { answer: { choices: [ANYTHING], text: ANYTHING } },
    { answer: { decision: 'accept', plan: ANYTHING, steps: [ANYTHING] } },
    { answer: { decision: 'raise', limitUsd: ANYTHING } },
    { answer: { decision: 'continue', guidance: ANYTHING } },
  ],
  'POST /v1/policies/test': [
    { commands: ANYTHING },
    { commands: [ANYTHING, 'ls'], settings: { rules: ANYTHING } },
    { commands: 'ls', project: ANYTHING },
  ],
  'PUT /v1/policies/{scope}': [
    { layer: { rules: ANYTHING } },
    { layer: { approvals: ANYTHING }, revision: ANYTHING },
  ],
  'POST /v1/webhooks': [
    { url: ANYTHING },
    { url: 'http://127.0.0.1:1/x', description: ANYTHING, events: [ANYTHING] },
  ],
  'POST /v1/tenants': [{ id: 'team-x', name: ANYTHING, weight: ANYTHING, maxRunning: ANYTHING }],
  'POST /v1/tenants/{id}/keys': [{ name: ANYTHING }],
};
