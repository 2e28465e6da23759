import { startModelSim, type Fault } from '@bullpen/model-sim';
import { defineDrill } from '../stack/define-drill.js';
import { drillScenario, promptOf, type Plan } from '../stack/plan.js';
import { scaled } from '../stack/workload.js';

const ODD: readonly Fault[] = [
  { kind: 'eof_without_message_stop' },
  { kind: 'error_event_mid_text' },
  { kind: 'error_event_mid_json' },
  { kind: 'max_tokens_mid_json' },
  { kind: 'empty_end_turn' },
  { kind: 'duplicate_tool_ids' },
  { kind: 'unknown_event' },
  { kind: 'duplicate_message_delta' },
  { kind: 'split_utf8' },
  { kind: 'crlf' },
];

export const cutStreams = defineDrill({
  id: 'X11',
  title: "the model's stream is cut after and inside every event, and goes wrong in every other way",
  forms: ['short', 'default', 'full'],
  backends: ['postgres'],
  seconds: 60,
  // Every cut answer is billed by what was sent of it, and known by an estimate.
  expect: { uncertain: 200 },
  act: async (stack, context) => {
    const cuts = await placesToCut();
    const wanted = scaled(cuts.length, Math.min(1, context.scale * 2));
    const chosen = cuts.filter(
      (_, at) => Math.floor(((at + 1) * wanted) / cuts.length) > Math.floor((at * wanted) / cuts.length),
    );
    const cut = chosen.map((at, index) =>
      cutPlan(keyOf(index), { kind: 'eof_at_byte', at, reset: index % 2 === 0 }),
    );
    const odd = ODD.map((fault) => ({
      key: `odd-${fault.kind}`,
      steps: [{ do: 'write' }, { do: 'effect' }] as const,
      faults: { 0: fault },
    }));
    context.log(`${cut.length} of ${cuts.length} places to cut`);
    await stack.submitter.submitAll([...cut, ...odd]);
  },
});

/** Equal lengths: a cut in one stream is at the same place in all of them. */
const keyOf = (at: number): string => `cut${String(at).padStart(3, '0')}`;

function cutPlan(key: string, fault?: Fault): Plan {
  return { key, steps: [{ do: 'effect' }, { do: 'write' }], ...(fault && { faults: { 0: fault } }) };
}

/** The ends of all events in the stream of such a plan's first answer, and a place inside each. */
async function placesToCut(): Promise<readonly number[]> {
  const sim = await startModelSim({ scenarios: [drillScenario('/dev/null')], speed: 'max' });
  try {
    const plan = cutPlan(keyOf(0), { kind: 'eof_at_byte', at: 1_000_000 });
    const response = await fetch(`${sim.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'any', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        model: 'claude-sonnet-5-5',
        max_tokens: 16_000,
        stream: true,
        system: 'Agent: general',
        tools: [{ name: 'run_command', description: 'Runs.', input_schema: { type: 'object' } }],
        messages: [{ role: 'user', content: promptOf(plan) }],
      }),
    });
    const text = await response.text();
    const ends = [...text.matchAll(/\n\n/g)].map(({ index }) => index + 2);
    return ends.flatMap((end, at) => [Math.round(((ends[at - 1] ?? 0) + end) / 2), end]).slice(0, -1);
  } finally {
    await sim.close();
  }
}
