/**
 * The model of a world: plays each task's plan. Which answer is due follows from the history in the request, as with a real
 * model, so a request that a crash repeats gets the same kind of answer. Only what goes wrong is counted here, by request.
 */
import { extractionRequest, type Model, type ModelChunk, type ModelRequest } from '@bullpen/core';
import type { Plan, ModelFault, PlannedTurn, TaskPlan } from './plan.js';
import type { RunWitness, Witness } from './witness.js';

/** One call of an answer. `serial` is different in each answer, so that a call can be told from its repetition. */
interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly stopReason: string;
}

/** Where the stream of one run stands in line, and how long it takes to give up on a provider that hangs. */
export interface ModelPorts {
  readonly run: RunWitness;
  readonly pass: (label: string) => Promise<unknown>;
  readonly hang: (signal: AbortSignal) => Promise<void>;
}

export class PlanModel {
  /** Serial numbers of calls whose answer was never complete: nobody may run them. */
  readonly unfinished = new Set<number>();
  private readonly requests = new Map<string, number>();
  private serial = 0;

  constructor(
    private readonly plan: Plan,
    private readonly witness: Witness,
  ) {}

  /** The model as one run of the loop sees it. */
  forRun(ports: ModelPorts): Model {
    return { stream: (request, signal, maySend) => this.stream(request, signal, { ...ports, maySend }) };
  }

  private async *stream(
    request: ModelRequest,
    signal: AbortSignal,
    { run, pass, hang, maySend }: ModelPorts & { readonly maySend: () => boolean },
  ): AsyncGenerator<ModelChunk> {
    await pass('asks the model');
    if (signal.aborted || !maySend()) return yield errorChunk('aborted', null);
    const answersSent = request.messages.filter(({ role }) => role === 'assistant').length;
    this.witness.asks(run, answersSent, request.messages.length);
    const plan = this.planOf(request);
    const fault = this.nextFault(plan, run.lease.taskId, request, answersSent);
    yield { type: 'response', providerRequestId: `req_${this.witness.requests}`, simulated: false };
    if (fault?.kind === 'error') return yield errorChunk(fault.class, fault.retryAfterMs);
    if (fault?.kind === 'hang') {
      await hang(signal);
      return yield errorChunk(signal.aborted ? 'aborted' : 'network', null);
    }
    const answer = this.answerTo(request, plan, answersSent);
    const chunks = this.chunksOf(request, answer, fault);
    const middle = Math.floor(chunks.length / 2);
    for (const [at, chunk] of chunks.entries()) {
      if (at === middle) await pass('streams');
      if (signal.aborted) return yield errorChunk('aborted', null);
      yield chunk;
    }
    if (chunks.some(({ type }) => type === 'block_end' || type === 'tool_call_end'))
      run.answered = request.messages.length;
    await pass('has the answer');
  }

  private planOf(request: ModelRequest): TaskPlan {
    const index = Number(/^Agent: plan-(\d+)/.exec(request.system)?.[1]);
    const plan = this.plan.tasks[index];
    if (!plan) throw new RangeError(`no plan for ${request.system.slice(0, 40)}`);
    return plan;
  }

  /** What goes wrong with this request. The provider, unlike a worker, remembers over crashes how often it was asked. */
  private nextFault(
    plan: TaskPlan,
    taskId: string,
    request: ModelRequest,
    answers: number,
  ): ModelFault | undefined {
    const key = `${taskId} ${request.messages.length}`;
    const count = this.requests.get(key) ?? 0;
    this.requests.set(key, count + 1);
    return plan.steps[answers]?.faults[count];
  }

  private answerTo(request: ModelRequest, plan: TaskPlan, answers: number): Answer {
    this.serial += 1;
    const said = lastText(request);
    const { outputSchema } = plan.definition;
    if (request.toolChoice.type === 'tool') return this.calls('', [this.completion()]);
    const asked = outputSchema !== null && said.endsWith(extractionRequest(outputSchema));
    if (asked || said.startsWith('That result does not fit')) return text(this.output(request, plan));
    if (request.toolChoice.type === 'none') return text(`Saved part ${this.serial}.`);
    return this.play(plan.steps[answers]?.turn ?? { kind: 'text' }, request);
  }

  private output(request: ModelRequest, plan: TaskPlan): string {
    const repairs = request.messages.filter(
      ({ role, content }) => role === 'user' && JSON.stringify(content).includes('That result does not fit'),
    ).length;
    return repairs < plan.badOutputs ? 'not JSON' : `{"result": ${this.serial}}`;
  }

  private play(turn: PlannedTurn, request: ModelRequest): Answer {
    switch (turn.kind) {
      case 'text':
        return text(`Done ${this.serial}.`);
      case 'long':
        return { ...text(`Part ${this.serial} `), stopReason: 'max_tokens' };
      case 'pause':
        return { ...text(`Pausing ${this.serial}`), stopReason: 'pause_turn' };
      case 'empty':
        return text('');
      case 'refusal':
        return { ...this.calls('No.', [this.call('act', true)]), stopReason: 'refusal' };
      case 'complete':
        return this.calls('', [this.completion()]);
      case 'signal':
        return this.calls('', [
          { name: 'signal', input: { trigger: turn.trigger, reason: `It is so ${this.serial}.` } },
        ]);
      case 'calls':
        return this.planned(turn);
      case 'spawn': {
        const spawns = turn.plans.map((index) => ({
          name: 'spawn_subtask',
          input: {
            agent: `plan-${index}`,
            prompt: `Play plan ${index}.`,
            // Neighbours that need no files of their own share a step; the others take the usual way.
            ...(index % 3 !== 0 && { workspace: 'shared' }),
          },
        }));
        return this.calls('Splitting up.', [
          ...spawns,
          ...Array.from({ length: turn.reads }, () => this.call('read')),
        ]);
      }
      case 'wait': {
        const taskIds = spawnedIn(request);
        if (taskIds.length === 0) return text(`Nothing to wait for ${this.serial}.`);
        return this.calls('', [{ name: 'wait_for_subtasks', input: { taskIds, mode: turn.mode } }]);
      }
    }
  }

  private planned(turn: Extract<PlannedTurn, { kind: 'calls' }>): Answer {
    const calls = turn.tools.map((tool) =>
      tool === 'update_todos'
        ? { name: tool, input: { todos: [{ text: `step ${this.serial}`, status: 'in_progress' }] } }
        : this.call(tool, turn.cut),
    );
    const answer = this.calls(`Working ${this.serial}.`, calls);
    return turn.cut ? { ...answer, stopReason: 'max_tokens' } : answer;
  }

  private call(name: string, never = false): Call {
    this.serial += 1;
    if (never) this.unfinished.add(this.serial);
    return { name, input: { n: this.serial } };
  }

  private completion(): Call {
    return { name: 'complete_task', input: { output: { result: this.serial } } };
  }

  private calls(said: string, calls: readonly Call[]): Answer {
    return { text: said, calls, stopReason: 'tool_use' };
  }

  /** The chunks of an answer, cut where the fault says. A call without its end is whole JSON here: only its end is missing. */
  private chunksOf(request: ModelRequest, answer: Answer, fault: ModelFault | undefined): ModelChunk[] {
    const where = fault?.kind === 'cut' ? fault.where : null;
    if (where === 'at_start') return [];
    const usage = usageOf(request);
    const chunks: ModelChunk[] = [{ type: 'usage', usage: { ...usage, outputTokens: 1 } }];
    let index = 0;
    if (answer.text !== '') {
      chunks.push({ type: 'text', index, text: answer.text });
      if (where === 'in_text') return chunks;
      chunks.push({ type: 'block_end', index });
      index += 1;
    }
    if (where === 'after_text' || where === 'in_text') return chunks;
    for (const [at, { name, input }] of answer.calls.entries()) {
      const id = `toolu_${this.serial}_${at}`;
      chunks.push({ type: 'tool_call_start', index, id, name });
      chunks.push({ type: 'tool_call_delta', index, json: JSON.stringify(input) });
      if (where === 'in_call' && at === answer.calls.length - 1) {
        for (const call of answer.calls) this.unfinished.add(Number(call.input['n']));
        return chunks;
      }
      chunks.push({ type: 'tool_call_end', index });
      index += 1;
    }
    if (where === 'in_call') return chunks;
    return [...chunks, { type: 'usage', usage }, { type: 'stop', stopReason: answer.stopReason }];
  }
}

function text(said: string): Answer {
  return { text: said, calls: [], stopReason: 'end_turn' };
}

/** Less than the worst case that a reservation is made for. */
function usageOf(request: ModelRequest) {
  const inputTokens = Math.ceil(JSON.stringify(request.messages).length / 4);
  return { inputTokens, outputTokens: 40, cacheReadTokens: 7, cacheWrite5mTokens: 3, cacheWrite1hTokens: 0 };
}

function errorChunk(errorClass: Parameters<typeof errorOf>[0], retryAfterMs: number | null): ModelChunk {
  return { type: 'error', error: errorOf(errorClass, retryAfterMs) };
}

function errorOf(errorClass: Extract<ModelFault, { kind: 'error' }>['class'], retryAfterMs: number | null) {
  const message = `planned ${errorClass}`;
  return { class: errorClass, message, httpStatus: null, retryAfterMs, providerRequestId: null };
}

function lastText(request: ModelRequest): string {
  const block = request.messages.at(-1)?.content.at(-1);
  return block?.type === 'text' ? block.text : '';
}

/** Children that earlier results in the history name. */
function spawnedIn(request: ModelRequest): string[] {
  const results = request.messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])),
  );
  return results.flatMap((result) => /^\{"taskId":"([^"]+)","workspace":"[^"]+"\}$/.exec(result)?.[1] ?? []);
}
