/** People who look into the inbox and treat what they find as the plan of its task says. */
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Autonomy, InteractionAnswer, InteractionView, Json } from '@bullpen/contracts';
import { Answerer } from './answerer.js';
import { asks, edited, placeOf, tokenAsked, type Treatment } from './asking.js';
import { plansOf, turnsOf, type Plan } from './plan.js';
import type { Stack } from './stack.js';
import { mayPass } from './submitter.js';

const LOOK_MS = 150;
/** People think for up to this long. */
const THINK_MS = 400;
/** Somebody who hangs up does so within this time. */
const LEAVE_MS = 40;

export class People {
  readonly answerer: Answerer;
  private readonly plans: ReadonlyMap<string, Plan>;
  /** What is seen to, or was. */
  private readonly seen = new Map<string, Promise<void>>();
  private readonly tokens = new Set<string>();
  private marks = 0;

  constructor(
    private readonly stack: Stack,
    plans: readonly Plan[],
    private readonly random: () => number,
    patienceMs: number,
  ) {
    const { baseUrl, apiKey, signal } = stack;
    this.answerer = new Answerer({ baseUrl, apiKey, signal, patienceMs });
    this.plans = new Map(plans.flatMap(plansOf).map((plan) => [plan.key, plan]));
  }

  /** Looks and answers until `over`; ends when every answer has had its fate. */
  async attend(over: AbortSignal): Promise<void> {
    const failed: unknown[] = [];
    while (!over.aborted) {
      for (const view of await this.inbox()) {
        if (this.seen.has(view.id)) continue;
        const work = this.treat(view);
        this.seen.set(view.id, work);
        work.catch((error: unknown) => failed.push(error));
      }
      await this.stack.pause(LOOK_MS);
      if (failed.length > 0) throw failed[0];
    }
    await Promise.all(this.seen.values());
  }

  /** What waits in the tree of `rootId`, or anywhere. */
  async inbox(rootId?: string): Promise<readonly InteractionView[]> {
    const { client } = this.answerer;
    const { signal } = this.stack;
    for (;;) {
      try {
        const found: InteractionView[] = [];
        const filter = rootId === undefined ? {} : { rootId };
        for await (const view of client.interactions.iterate(filter, { signal })) found.push(view);
        return found;
      } catch (error) {
        if (!mayPass(error)) throw error;
        await this.stack.pause(LOOK_MS);
      }
    }
  }

  private async treat(view: InteractionView): Promise<void> {
    const token = tokenAsked(view);
    const again = this.tokens.has(token);
    this.tokens.add(token);
    await this.stack.pause(this.random() * THINK_MS);
    const { answerer } = this;
    const { id, hash } = view;
    const yes = this.yes(view);
    // What is asked anew, because something had changed, is agreed to.
    const treatment = again ? 'approve' : this.treatmentOf(token);
    switch (treatment) {
      case 'approve':
        return void (await answerer.answer(view, yes, { hash }));
      case 'edit':
        return void (await answerer.answer(view, this.changed(view), { hash }));
      case 'deny':
        return void (await answerer.answer(view, this.no(view), { hash }));
      case 'race':
        return this.race(view);
      case 'repeat': {
        const { key, code } = await answerer.answer(view, yes, { hash });
        // Who had to change keys and found the own words standing has no key that answered.
        if (code === null) await answerer.answer(view, yes, { hash, key });
        return void (await answerer.answer(view, this.no(view)));
      }
      case 'hang_up':
        return void (await answerer.answer(view, yes, { hash, leaveAfterMs: this.random() * LEAVE_MS }));
      case 'stale':
        await answerer.answer(view, this.yes(view), { hash: '0'.repeat(64) });
        return void (await answerer.answer(view, yes, { hash }));
      case 'late':
        return this.comeLate(id, yes);
      case 'cancel':
        return void (await Promise.all([answerer.answer(view, yes, { hash }), this.cancelSoon(view.taskId)]));
      case 'turn':
        await this.turn(view);
        return void (await answerer.answer(view, yes, { hash }));
    }
  }

  private async race(view: InteractionView): Promise<void> {
    const both = [this.yes(view), this.no(view)];
    if (this.random() < 0.5) both.reverse();
    await Promise.all(both.map((answer) => this.answerer.answer(view, answer, { hash: view.hash })));
  }

  private async comeLate(id: string, answer: InteractionAnswer): Promise<void> {
    while ((await this.inbox()).some((view) => view.id === id)) await this.stack.pause(LOOK_MS);
    await this.answerer.answer({ id }, answer);
  }

  private async cancelSoon(taskId: string): Promise<void> {
    await this.stack.pause(this.random() * LEAVE_MS);
    await this.stack.submitter.cancel(taskId);
  }

  /** The folder that the command names becomes a link to another one. */
  private async turn({ taskId, payload }: InteractionView): Promise<void> {
    const { rows } = await this.stack.database.pool.query<{ path: string }>(
      'SELECT workspace_path AS path FROM tasks WHERE id = $1',
      [taskId],
    );
    const folder = rows[0]?.path ?? '';
    const { cwd } = payload['arguments'] as { cwd: string };
    await mkdir(join(folder, 'elsewhere'), { recursive: true });
    await rm(join(folder, cwd), { recursive: true, force: true });
    await symlink('elsewhere', join(folder, cwd));
  }

  private treatmentOf(token: string): Treatment {
    const { key, at, index } = placeOf(token);
    const plan = this.plans.get(key);
    const step = plan && turnsOf(plan)[at];
    const treatment = step && asks(step) ? step.people[index] : undefined;
    if (treatment === undefined) throw new Error(`No plan says what becomes of ${token}`);
    return treatment;
  }

  private mark(): string {
    this.marks += 1;
    return `«word ${this.marks}»`;
  }

  private yes({ kind }: InteractionView): InteractionAnswer {
    const remarks = this.mark();
    if (kind === 'question') return { choices: ['left'], text: remarks };
    return kind === 'plan'
      ? { decision: 'accept', autonomy: 'agent' satisfies Autonomy, remarks }
      : { decision: 'approve', remarks };
  }

  private changed({ kind, payload }: InteractionView): InteractionAnswer {
    const remarks = this.mark();
    if (kind === 'plan')
      return { decision: 'accept', autonomy: 'agent', remarks, steps: ['another first', 'second'] };
    const asked = payload['arguments'] as Record<string, Json> & { command: string };
    const { command } = asked;
    return { decision: 'approve', remarks, arguments: { ...asked, command: edited(command) } };
  }

  private no({ kind }: InteractionView): InteractionAnswer {
    const remarks = this.mark();
    if (kind === 'question') return { choices: ['right'], text: remarks };
    return kind === 'plan' ? { decision: 'revise', remarks } : { decision: 'deny', remarks };
  }
}
