import { modelContract } from '@bullpen/core/testing';
import { ScriptedModel } from './scripted-model.js';

modelContract('the scripted model', () => {
  const model = new ScriptedModel();
  return Promise.resolve({
    model,
    answer: (text) => model.push({ text, toolCalls: [{ name: 'look', input: { at: 1 } }] }),
    overload: () => model.push({ error: { class: 'overload' } }),
    cut: () => model.push({ text: 'Words that are cut off.', cutAfterChunks: 3 }),
    hang: () => model.push({ text: 'Too late.', until: new Promise(() => undefined) }),
    requests: () => model.requests.length,
    close: () => Promise.resolve(model.assertDone()),
  });
});
