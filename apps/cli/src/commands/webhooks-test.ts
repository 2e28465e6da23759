/** `bullpen webhooks test`: a ping, and what became of its first attempt. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryDetails } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Client, type Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { duration } from '../render/format.js';
import { oneLine } from '../render/plain-text.js';

/** 20 s in all: a receiver has 15 s, and a worker looks every second. */
const LOOKS = 80;
const EVERY_MS = 250;

/** Sends a test event, waits for the first attempt, and shows what the receiver said. The exit code tells whether it arrived. */
export async function testWebhook(context: Context, id: string, self: Command): Promise<void> {
  const options = optionsOf(self);
  const { io } = context;
  const { client } = connect(context, options);
  const delivery = await firstAttempt(client, await client.webhooks.test(id));
  const [attempt] = delivery.log;
  if (delivery.state !== 'delivered') context.setExitCode(EXIT.error);
  if (options.json) return printJson(io, delivery);
  if (delivery.state === 'delivered' && attempt)
    return io.err(`It arrived: the receiver answered ${attempt.status} in ${duration(attempt.durationMs)}.`);
  const why = delivery.lastError ?? 'no worker has sent it yet; is one running?';
  io.err(io.errColors.red(`It did not arrive: ${oneLine(why)}`));
  if (delivery.state === 'pending')
    io.err(io.errColors.dim(`More attempts follow: bullpen webhooks log ${delivery.id}`));
}

async function firstAttempt(client: Client, queued: DeliveryDetails): Promise<DeliveryDetails> {
  let delivery = queued;
  for (
    let looks = 0;
    looks < LOOKS && delivery.state === 'pending' && delivery.log.length === 0;
    looks += 1
  ) {
    await sleep(EVERY_MS);
    delivery = await client.webhooks.delivery(queued.id);
  }
  return delivery;
}
