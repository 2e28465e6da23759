/**
 * Sits at the terminal while a tree runs: shows what is opened for a person, one after the other, and asks. What is answered elsewhere
 * meanwhile disappears from here.
 */
import { isStored, type StreamItem } from '@bullpen/client';
import type { InteractionView } from '@bullpen/contracts';
import type { Client, Context } from '../context.js';
import { CliError } from '../errors.js';
import { nounFor } from '../render/format.js';
import { answerCommands } from '../render/inbox-table.js';
import { textLines, interactionLines } from '../render/interaction.js';
import { oneLine } from '../render/plain-text.js';
import { askInPlace } from './ask-in-place.js';
import { editText } from './edit-text.js';
import { closedText, giveAnswer } from './give-answer.js';
import { PromptInterrupted, PromptWithdrawn, terminalPrompts, type Prompts } from './prompts.js';

export interface AttendantOptions {
  readonly context: Context;
  readonly client: Client;
  readonly prompts: Prompts;
  /** Keeps everything else off the screen while a person is asked, and lets it on again. */
  readonly screen: { hold(): void; release(): void };
  /** Ends all asking: the watcher has left. */
  readonly signal: AbortSignal;
  /** How to be asked again what was left open here; said once with it. */
  readonly askAgain?: string;
  /** Ctrl-C at a prompt. */
  onInterrupt(openId: string): void;
  /** Something went wrong that is not about one answer. */
  onError(error: unknown): void;
}

export class Attendant {
  private readonly waiting: string[] = [];
  private readonly deferred = new Set<string>();
  private current: { readonly id: string; readonly gone: AbortController } | null = null;
  private work: Promise<void> | null = null;
  private readonly left = new AbortController();
  private readonly signal: AbortSignal;

  constructor(private readonly options: AttendantOptions) {
    this.signal = AbortSignal.any([options.signal, this.left.signal]);
  }

  /** One that asks at the terminal; null where there is none. */
  static atTerminal(options: Omit<AttendantOptions, 'prompts'>): Attendant | null {
    const { io } = options.context;
    return io.terminal === null
      ? null
      : new Attendant({ ...options, prompts: terminalPrompts(io, io.terminal) });
  }

  /** Takes an item of the stream in. */
  onItem(item: StreamItem): void {
    if (!isStored(item)) return;
    if (item.type === 'interaction.opened') this.ask(item.data.interactionId);
    if (item.type === 'interaction.closed') this.close(item.data.interactionId);
  }

  /** Puts one at the end of the line. */
  ask(id: string): void {
    this.deferred.delete(id);
    if (this.current?.id === id || this.waiting.includes(id)) return;
    this.waiting.push(id);
    this.begin();
  }

  /** Ids that were put off and are still open. */
  get putOff(): readonly string[] {
    return [...this.deferred];
  }

  /** Whether a person is being asked, or soon will be. */
  get busy(): boolean {
    return this.work !== null;
  }

  /** Resolves when nobody is asked any more. */
  async idle(): Promise<void> {
    while (this.work !== null) await this.work;
  }

  /** Asks nothing any more, and resolves when the terminal is given back. */
  async leave(): Promise<void> {
    this.left.abort();
    await this.idle();
  }

  private begin(): void {
    // Set back from outside: when everybody has left, serving ends before it is even taken down as work.
    this.work ??= this.serve().finally(() => {
      this.work = null;
      // What came while it ended.
      if (this.waiting.length > 0 && !this.signal.aborted) this.begin();
    });
  }

  private close(id: string): void {
    this.deferred.delete(id);
    const at = this.waiting.indexOf(id);
    if (at >= 0) this.waiting.splice(at, 1);
    if (this.current?.id === id) this.current.gone.abort();
  }

  private async serve(): Promise<void> {
    try {
      while (this.waiting.length > 0 && !this.signal.aborted) {
        const id = this.waiting.shift() ?? '';
        this.current = { id, gone: new AbortController() };
        await this.attend(id, this.current.gone.signal);
      }
    } catch (error) {
      if (!this.signal.aborted) this.options.onError(error);
    } finally {
      this.current = null;
    }
  }

  private async attend(id: string, gone: AbortSignal): Promise<void> {
    const { client } = this.options;
    // A stream that is told from its start tells of what was closed long ago, too.
    const view = await client.interactions.get(id, { signal: this.signal });
    if (view.state !== 'pending' || gone.aborted) return;
    this.options.screen.hold();
    try {
      await this.converse(view, gone);
    } finally {
      this.options.screen.release();
    }
  }

  private async converse(view: InteractionView, gone: AbortSignal): Promise<void> {
    const { context, client, prompts, onInterrupt } = this.options;
    const { io } = context;
    const look = { colors: io.errColors, width: io.columns(), now: io.now() };
    const more = this.waiting.length;
    const later =
      more === 0 ? [] : ['', look.colors.dim(`(${more} more ${nounFor(more, 'waits', 'wait')} after this)`)];
    io.err(['', ...interactionLines(view, look), ...later].join('\n'));
    const tools = {
      prompts,
      edit: (text: string, ending: string) => editText(context, text, ending),
      show: (text: string) =>
        io.err(
          textLines(text)
            .map((line) => `  ${line}`)
            .join('\n'),
        ),
      warn: (text: string) => io.err(io.errColors.yellow(text)),
    };
    try {
      const answer = await askInPlace(view, tools, AbortSignal.any([gone, this.signal]));
      if (answer === null) return this.putOffFor(view);
      await giveAnswer(client, view, answer);
    } catch (error) {
      if (error instanceof PromptInterrupted) {
        // Whoever leaves one open with Ctrl-C does not want the next one on the screen.
        for (const id of [view.id, ...this.waiting.splice(0)]) this.deferred.add(id);
        return onInterrupt(view.id);
      }
      if (error instanceof PromptWithdrawn && !gone.aborted) return;
      if (!(error instanceof PromptWithdrawn) && !(error instanceof CliError))
        return this.refused(view, error);
      io.err(io.errColors.yellow(oneLine(closedText(await client.interactions.get(view.id)))));
    }
  }

  /** The gateway does not take the answer: that is said, and the same is asked again. */
  private refused(view: InteractionView, error: unknown): void {
    const { context } = this.options;
    if (this.signal.aborted || !(error instanceof Error)) throw error;
    context.io.err(context.io.errColors.red(oneLine(error.message)));
    this.waiting.unshift(view.id);
  }

  private putOffFor(view: InteractionView): void {
    const { io } = this.options.context;
    this.deferred.add(view.id);
    const [how = ''] = answerCommands(view);
    const again = this.options.askAgain === undefined ? '' : `\n${this.options.askAgain}`;
    io.err(io.errColors.dim(`Left open. Answer it whenever you like: ${how}${again}`));
  }
}
