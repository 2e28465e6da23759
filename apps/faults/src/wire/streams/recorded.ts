/**
 * Ordinary answers, event by event, and what is in them. Each word is written once in all of an answer, so that one that comes twice
 * is seen.
 */
import {
  callStart,
  blockStart,
  blockStop,
  delta,
  end,
  event,
  jsonDelta,
  PING,
  signatureOf,
  start,
  STOP,
  text,
  textDelta,
} from '../sse.js';

export interface Recorded {
  readonly name: string;
  readonly dialect: 'native' | 'xml';
  readonly events: readonly string[];
  /** Of the answer's text. */
  readonly words: readonly string[];
  /** Calls that run when the answer comes whole. */
  readonly calls: readonly RecordedCall[];
}

export interface RecordedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const write = { path: 'a.txt', content: 'hello 😀\nanother line' };
const read = { path: 'src/한글.ts' };

/** Events as the simulator and the API write them: a text each. */
function events(...texts: readonly string[]): readonly string[] {
  return texts.flatMap((one) => one.match(/event: [^]*?\n\n/g) ?? []);
}

function thinking(index: number): string {
  return (
    blockStart(index, { type: 'thinking', thinking: '', signature: '' }) +
    delta(index, { type: 'thinking_delta', thinking: 'Hm, ' }) +
    delta(index, { type: 'thinking_delta', thinking: 'well.' }) +
    delta(index, { type: 'signature_delta', signature: signatureOf('Hm, well.') }) +
    blockStop(index)
  );
}

function say(index: number, ...parts: readonly string[]): string {
  return (
    blockStart(index, { type: 'text', text: '' }) +
    parts.map((part) => textDelta(index, part)).join('') +
    blockStop(index)
  );
}

function call(index: number, id: string, { tool, input }: RecordedCall): string {
  const json = JSON.stringify(input);
  const [a, b] = [Math.floor(json.length / 3), Math.floor((json.length * 2) / 3)];
  return (
    callStart(index, { id, name: tool }) +
    ['', json.slice(0, a), json.slice(a, b), json.slice(b)].map((part) => jsonDelta(index, part)).join('') +
    blockStop(index)
  );
}

const WRITE = { tool: 'write_file', input: write };
const READ = { tool: 'read_file', input: read };

function native(
  name: string,
  words: string,
  calls: readonly RecordedCall[],
  ...texts: readonly string[]
): Recorded {
  return {
    name,
    dialect: 'native',
    events: events(...texts),
    words: words.split(' ').filter(Boolean),
    calls,
  };
}

function xml(name: string, words: string, calls: readonly RecordedCall[], said: string): Recorded {
  const pieces = said.match(/[^]{1,17}/gu) ?? [];
  const texts = [start(), say(0, ...pieces), end('end_turn'), STOP];
  return { name, dialect: 'xml', events: events(...texts), words: words.split(' ').filter(Boolean), calls };
}

const inText = ({ tool, input }: RecordedCall) =>
  `<${tool}>\n${Object.entries(input)
    .map(([key, value]) => `<${key}>${String(value)}</${key}>\n`)
    .join('')}</${tool}>`;

/** The recorded set. */
export const RECORDED: readonly Recorded[] = [
  native(
    'text',
    'alpha beta gämma δέλτα',
    [],
    start(),
    PING,
    say(0, 'alpha be', 'ta gäm', 'ma δέλτα'),
    end('end_turn'),
    STOP,
  ),
  native(
    'thinking-and-call',
    'epsilon zeta',
    [WRITE],
    start(),
    thinking(0),
    say(1, 'epsilon ', 'zeta'),
    call(2, 'toolu_a', WRITE),
    end('tool_use'),
    STOP,
  ),
  native(
    'parallel-calls',
    'eta',
    [READ, WRITE, READ],
    start(),
    say(0, 'eta'),
    call(1, 'toolu_a', READ),
    call(2, 'toolu_b', WRITE),
    call(3, 'toolu_c', READ),
    end('tool_use'),
    STOP,
  ),
  native(
    'no-arguments',
    '',
    [{ tool: 'list_files', input: {} }],
    start(),
    callStart(0, { id: 'toolu_a', name: 'list_files' }),
    blockStop(0),
    end('tool_use'),
    STOP,
  ),
  native(
    'omitted-thinking',
    'theta',
    [READ],
    start(),
    blockStart(0, { type: 'redacted_thinking', data: 'c2VhbGVk' }),
    blockStop(0),
    text(1, 'theta'),
    call(2, 'toolu_a', READ),
    end('tool_use'),
    STOP,
  ),
  native(
    'server-tools',
    'iota kappa',
    [],
    start(),
    blockStart(0, { type: 'server_tool_use', id: 'srvtoolu_a', name: 'web_search', input: {} }) +
      jsonDelta(0, '{"query":"x"}') +
      blockStop(0),
    blockStart(1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_a', content: [] }) + blockStop(1),
    blockStart(2, { type: 'text', text: '', citations: [] }) +
      textDelta(2, 'iota ') +
      delta(2, { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'x' } }) +
      textDelta(2, 'kappa') +
      blockStop(2),
    end('end_turn', { output_tokens: 10, server_tool_use: { web_search_requests: 1 } }),
    STOP,
  ),
  native('pause-turn', 'lambda', [], start(), say(0, 'lambda'), end('pause_turn'), STOP),
  native('refusal', 'mu', [], start(), say(0, 'mu'), call(1, 'toolu_a', WRITE), end('refusal'), STOP),
  native('max-tokens', 'nu', [], start(), say(0, 'nu'), call(1, 'toolu_a', WRITE), end('max_tokens'), STOP),
  native(
    'unknown-events',
    'xi omicron',
    [READ],
    start(),
    event('novelty', { type: 'novelty', deep: [1, { a: null }] }),
    say(0, 'xi ', 'omicron'),
    blockStart(1, { type: 'novel_block', x: 1 }) + delta(1, { type: 'novel_delta', y: 2 }) + blockStop(1),
    call(2, 'toolu_a', READ),
    end('tool_use'),
    end('tool_use'),
    STOP,
  ),
  xml('xml-calls', 'pi rho sigma', [READ, WRITE], `pi rho\n${inText(READ)}\nsigma\n${inText(WRITE)}`),
  xml(
    'xml-example',
    'tau upsilon',
    [READ],
    `tau\n\`\`\`xml\n${inText(WRITE)}\n\`\`\`\nupsilon \`${inText(WRITE)}\`\n${inText(READ)}`,
  ),
  xml(
    'xml-value',
    'phi',
    [{ tool: 'write_file', input: { path: 'b', content: 'ends with </content> here 😀' } }],
    `phi ${inText({ tool: 'write_file', input: { path: 'b', content: 'ends with </content> here 😀' } })}`,
  ),
  xml('xml-thoughts', 'chi', [], `<think>\n${inText(WRITE)}\n</think>\nchi <b>`),
];
