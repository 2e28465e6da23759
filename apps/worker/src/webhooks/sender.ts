/**
 * Sends what waits in the outbox of webhooks. Every worker does, a few messages at a time. At least once: a process that dies
 * between sending and settling leaves a claim that runs out, and the message is sent again with the same id.
 */
import type { Masker } from '@bullpen/core';
import { Repeating, type Logger } from '@bullpen/platform';
import type { ClaimedDelivery, GiveUpRule, WebhookOutbox } from '@bullpen/store';
import { judgeAttempt, sendWebhook, type SendResult, type TargetRules } from '@bullpen/webhooks';

export interface WebhookSenderOptions {
  readonly outbox: Pick<WebhookOutbox, 'claim' | 'settle' | 'release'>;
  readonly target: TargetRules;
  readonly version: string;
  readonly logger: Logger;
  /** Takes registered values out of what is sent, and of what receivers answer. */
  readonly masker: Masker;
  readonly timing?: Partial<WebhookTiming>;
}

export interface WebhookTiming {
  /** Between two looks at the outbox while there is something in it, in ms. */
  readonly everyMs: number;
  /** The same when there has been nothing for a while: the leader looks for what is due, and sends it. */
  readonly calmMs: number;
  /** A receiver's time for an answer, in ms. */
  readonly timeoutMs: number;
  /** A claim without a settlement is lost after this, in ms; well over the timeout. */
  readonly leaseMs: number;
  /** Waits between attempts, in ms. */
  readonly delaysMs?: readonly number[];
  readonly giveUp: GiveUpRule;
  /** A stopping worker lets what is on its way arrive, this long. */
  readonly stopMs: number;
}

const TIMING: WebhookTiming = {
  everyMs: 1_000,
  calmMs: 15_000,
  timeoutMs: 15_000,
  leaseMs: 60_000,
  // More than a day: a receiver that is mended overnight stays. Twenty: one message alone does not end it.
  giveUp: { failures: 20, forMs: 36 * 3_600_000 },
  stopMs: 3_000,
};

/** Messages that are on their way at the same time, in all and to one endpoint. */
const AT_ONCE = 8;
const PER_ENDPOINT = 4;

export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #timing: WebhookTiming;
  readonly #stop = new AbortController();
  readonly #cut = new AbortController();
  /** On their way, by endpoint. */
  readonly #open = new Map<Promise<void>, string>();
  readonly #repeating: Repeating;
  #looking: Promise<boolean> | null = null;
  #lookAgain = false;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.#repeating = new Repeating({
      name: 'looking for webhooks to send',
      ...{ everyMs: this.#timing.everyMs, calmMs: this.#timing.calmMs, logger: options.logger },
      run: () => this.#lookNow(),
    });
  }

  /** Looks at the outbox now and from time to time. */
  start(): void {
    this.#repeating.start();
    this.poke();
  }

  /** Looks at the outbox now: something was put there. Never throws. */
  poke(): void {
    if (this.#stop.signal.aborted) return;
    this.#repeating.stir();
    void this.#lookNow();
  }

  /** Takes no more, and lets what is on its way arrive for a moment; the rest is given back. Never throws. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#repeating.stop();
    await this.#looking;
    const cut = setTimeout(() => this.#cut.abort(), this.#timing.stopMs);
    await Promise.all(this.#open.keys());
    clearTimeout(cut);
  }

  /** One look at a time; whoever asks meanwhile has the outbox looked at once more. */
  #lookNow(): Promise<boolean> {
    this.#lookAgain = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Whether there was something, or something is on its way. Never throws. */
  async #look(): Promise<boolean> {
    const { outbox, logger } = this.#options;
    try {
      while (this.#lookAgain && !this.#stop.signal.aborted) {
        this.#lookAgain = false;
        const claims = await outbox.claim({
          limit: AT_ONCE - this.#open.size,
          perEndpoint: PER_ENDPOINT,
          leaseMs: this.#timing.leaseMs,
          busy: this.#busy(),
        });
        for (const claim of claims) this.#begin(claim);
      }
    } catch (error) {
      logger.warn({ err: error }, 'the webhook outbox could not be read; trying again');
    }
    return this.#open.size > 0;
  }

  /** Endpoints with something on its way: they are asked for more when all of that is done, so that none gets beyond its share. */
  #busy(): string[] {
    return [...new Set(this.#open.values())];
  }

  #begin(claim: ClaimedDelivery): void {
    const work = this.#deliver(claim).finally(() => {
      this.#open.delete(work);
      this.poke();
    });
    this.#open.set(work, claim.endpointId);
  }

  async #deliver(claim: ClaimedDelivery): Promise<void> {
    const { outbox, logger } = this.#options;
    const about = { deliveryId: claim.id, webhookId: claim.endpointId, attempt: claim.number };
    try {
      const startedAt = performance.now();
      const result = await this.#send(claim);
      if (result === null) return await outbox.release(claim);
      const next = judgeAttempt(result, claim.tried, Math.random(), this.#timing.delaysMs);
      const durationMs = Math.round(performance.now() - startedAt);
      const disabled = await outbox.settle(claim, { ...result, durationMs, next }, this.#timing.giveUp);
      logger.debug({ ...about, status: result.status, error: result.error, next: next.kind }, 'webhook sent');
      if (disabled !== null) logger.warn({ ...about, reason: disabled }, 'a webhook was disabled');
    } catch (error) {
      // The claim runs out, and the message is sent again.
      logger.warn({ ...about, err: error }, 'the end of a webhook could not be stored');
    }
  }

  /** Null: this process stops, and nobody knows whether the message arrived. */
  async #send(claim: ClaimedDelivery): Promise<SendResult | null> {
    const { target, version, masker } = this.#options;
    const { id, at, url, secrets, payload } = claim;
    const body = masker.maskJsonText(payload);
    const options = {
      ...target,
      timeoutMs: this.#timing.timeoutMs,
      userAgent: `Bullpen-Webhooks/${version}`,
    };
    try {
      const result = await sendWebhook({ id, at, url, secrets, body }, options, this.#cut.signal);
      return { ...result, response: result.response && masker.mask(result.response) };
    } catch (error) {
      if (this.#cut.signal.aborted) return null;
      throw error;
    }
  }
}
