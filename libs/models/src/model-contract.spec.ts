import { modelContract } from '@bullpen/core/testing';
import { defineScenario, startModelSim, type Reply } from '@bullpen/model-sim';
import { AnthropicModel } from '@bullpen/models';

modelContract('the Anthropic client, against the simulator', async () => {
  let reply: Reply = { text: 'Nothing is prepared.' };
  const scenario = defineScenario({ name: 'contract', agents: { contract: () => reply } });
  const sim = await startModelSim({ scenarios: [scenario], speed: 'max' });
  const spoken = { text: 'Words that are cut off.' };
  return {
    model: new AnthropicModel({ apiKey: 'simulated', baseURL: sim.url }),
    answer: (text) => (reply = { text, toolCalls: [{ name: 'look', input: { at: 1 } }] }),
    overload: () => (reply = { ...spoken, fault: { kind: 'overloaded', times: 'always' } }),
    cut: () => (reply = { ...spoken, fault: { kind: 'eof_at_byte', at: 900, times: 'always' } }),
    hang: () => (reply = { ...spoken, fault: { kind: 'slow_first_byte', ms: 60_000, times: 'always' } }),
    requests: () => sim.requests().length,
    close: () => sim.close(),
  };
});
