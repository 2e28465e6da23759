/** One answer as it streams: parsed for the record, and passed on in pieces to watchers. */
import type { ModelChunk, ModelRequest } from './model.js';
import { AnswerParser, type ParsedAnswer } from './native-parser.js';
import type { Run } from './run.js';

/** Longest grace turn; a limit must not turn into another long run. */
const GRACE_MS = 60_000;

/** Reads one stream to its end; live pieces go out as they come. */
export async function streamAnswer(
  run: Run,
  request: ModelRequest,
  messageId: string,
  signal: AbortSignal,
): Promise<ParsedAnswer> {
  const parser = new AnswerParser();
  const emitter = deltaEmitter(run, messageId);
  const bound =
    run.state.task.phase === 'grace' ? AbortSignal.any([signal, run.deps.timeout(GRACE_MS)]) : signal;
  for await (const chunk of run.deps.model.stream(request, bound, run.deps.holdsLease)) {
    parser.push(chunk);
    emitter(chunk);
  }
  return parser.finish(run.state.proof.toolUseIds);
}

function deltaEmitter(run: Run, messageId: string): (chunk: ModelChunk) => void {
  const { deps, state } = run;
  const tools = new Map<number, { toolUseId: string; tool: string; offset: number }>();
  let text = 0;
  let reasoning = 0;
  return (chunk) => {
    if (chunk.type === 'text') {
      deps.emit(state.task.id, {
        type: 'message.delta',
        data: { messageId, offset: text, text: chunk.text },
      });
      text += chunk.text.length;
    } else if (chunk.type === 'reasoning' && chunk.text !== '') {
      deps.emit(state.task.id, {
        type: 'reasoning.delta',
        data: { messageId, offset: reasoning, text: chunk.text },
      });
      reasoning += chunk.text.length;
    } else if (chunk.type === 'tool_call_start') {
      tools.set(chunk.index, { toolUseId: chunk.id, tool: chunk.name, offset: 0 });
    } else if (chunk.type === 'tool_call_delta') {
      const tool = tools.get(chunk.index);
      if (!tool) return;
      deps.emit(state.task.id, { type: 'tool.generating', data: { messageId, ...tool, json: chunk.json } });
      tool.offset += chunk.json.length;
    }
  };
}
