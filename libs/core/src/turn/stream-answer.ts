/** One answer as it streams: parsed for the record, and passed on in pieces to watchers. */
import { liveText, type LiveText } from '../masking/live-text.js';
import type { ModelChunk, ModelRequest } from '../ports/model.js';
import { AnswerParser, type ParsedAnswer } from '../conversation/native-parser.js';
import { withCallsInText } from '../conversation/xml-parser.js';
import type { Run } from './run.js';

/** Longest grace turn; a limit must not turn into another long run. */
const GRACE_MS = 60_000;

/** An answer, and when it began: ms from its request to the first byte and to the first piece of its content. */
export interface StreamedAnswer extends ParsedAnswer {
  readonly firstByteMs: number | null;
  readonly firstTextMs: number | null;
}

/** Reads one stream to its end; live pieces go out as they come, unless it is no message of the conversation. */
export async function streamAnswer(
  run: Run,
  callId: string,
  request: ModelRequest,
  messageId: string | null,
  signal: AbortSignal,
): Promise<StreamedAnswer> {
  const parser = new AnswerParser();
  const emitter = messageId === null ? SILENT : deltaEmitter(run, messageId);
  const bound =
    run.state.task.phase === 'grace' ? AbortSignal.any([signal, run.deps.timeout(GRACE_MS)]) : signal;
  const startedAt = run.deps.now();
  const began: { firstByteMs: number | null; firstTextMs: number | null } = {
    firstByteMs: null,
    firstTextMs: null,
  };
  const chunks = run.deps.model.stream(request, bound, run.deps.holdsLease);
  const { callsInText } = request;
  const calls =
    callsInText === undefined
      ? chunks
      : withCallsInText(chunks, callsInText, (number) => `${messageId}_${number}`);
  for await (const chunk of calls) {
    if (chunk.type !== 'error') began.firstByteMs ??= run.deps.now() - startedAt;
    if (CONTENT.has(chunk.type)) began.firstTextMs ??= run.deps.now() - startedAt;
    parser.push(chunk);
    emitter.push(chunk);
  }
  emitter.end();
  const answer = parser.finish(run.state.toolUseIds);
  const { error } = answer;
  // It is the provider's text and not the model's, and is shown in many places.
  const told = error && { ...error, message: run.deps.masker.mask(error.message) };
  const { task } = run.state;
  if (task.definition.keepBodies)
    await run.deps.promptLog?.keep({ callId, taskId: task.id, request, answer });
  return { ...answer, ...began, error: told };
}

/** Pieces of the answer itself. */
const CONTENT: ReadonlySet<ModelChunk['type']> = new Set(['text', 'reasoning', 'tool_call_start']);

interface DeltaEmitter {
  push(chunk: ModelChunk): void;
  /** The stream is over. */
  end(): void;
}

const SILENT: DeltaEmitter = { push: () => undefined, end: () => undefined };

/** Each block is a text of its own. Watchers get those of a kind as one, so that their offsets go on. */
function deltaEmitter({ deps, state }: Run, messageId: string): DeltaEmitter {
  const blocks = new Map<string, LiveText>();
  const offsets = { 'message.delta': 0, 'reasoning.delta': 0 };
  const open = (key: string, send: (text: string, offset: number) => void): LiveText => {
    const block = blocks.get(key) ?? liveText(deps.masker, send);
    blocks.set(key, block);
    return block;
  };
  const say = (type: keyof typeof offsets, index: number, text: string): void =>
    open(`${type} ${index}`, (shown) => {
      deps.emit(state.task.id, { type, data: { messageId, offset: offsets[type], text: shown } });
      offsets[type] += shown.length;
    }).push(text);
  const generate = ({ index, id: toolUseId, name: tool }: ToolCallStart): void => {
    open(`call ${index}`, (json, offset) => {
      const data = { messageId, toolUseId, tool, offset, json };
      deps.emit(state.task.id, { type: 'tool.generating', data });
    });
  };
  const finish = (index: number): void => KINDS.forEach((kind) => blocks.get(`${kind} ${index}`)?.end());
  return {
    push: (chunk) => {
      if (chunk.type === 'text') say('message.delta', chunk.index, chunk.text);
      else if (chunk.type === 'reasoning') say('reasoning.delta', chunk.index, chunk.text);
      else if (chunk.type === 'tool_call_start') generate(chunk);
      else if (chunk.type === 'tool_call_delta') blocks.get(`call ${chunk.index}`)?.push(chunk.json);
      else if (chunk.type === 'block_end' || chunk.type === 'tool_call_end') finish(chunk.index);
      else if (chunk.type === 'restart') blocks.clear();
    },
    end: () => blocks.forEach((block) => block.end()),
  };
}

const KINDS = ['message.delta', 'reasoning.delta', 'call'];
type ToolCallStart = Extract<ModelChunk, { type: 'tool_call_start' }>;
