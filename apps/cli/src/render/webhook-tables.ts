/** Webhooks and their deliveries, for people. Pure. */
import type { DeliveryDetails, DeliveryView, WebhookView } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { age, duration } from './format.js';
import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';

export interface TableOptions {
  readonly width: number;
  readonly now: number;
  readonly colors: Colors;
}

/** A line for each webhook, with whether it is on and why not. */
export function webhookTable(webhooks: readonly WebhookView[], { width, colors }: TableOptions): string {
  return renderTable(
    webhooks,
    [
      { title: 'WEBHOOK', value: ({ id }) => oneLine(id), ids: true },
      {
        title: 'STATE',
        value: healthOf,
        paint: (text, webhook) => (healthOf(webhook) === 'ok' ? colors.green(text) : colors.red(text)),
      },
      { title: 'ADDRESS', value: ({ url }) => oneLine(url), shrinkTo: 20 },
      { title: 'EVENTS', value: toldOf, shrinkTo: 12 },
      { title: 'FOR', value: ({ description }) => oneLine(description), shrinkTo: 8 },
    ],
    width,
    colors,
  );
}

/** A line for each delivery, with its attempts and what the receiver said last. */
export function deliveryTable(
  deliveries: readonly DeliveryView[],
  { width, now, colors }: TableOptions,
): string {
  return renderTable(
    deliveries,
    [
      { title: 'DELIVERY', value: ({ id }) => oneLine(id), ids: true },
      { title: 'AGE', value: ({ createdAt }) => age(createdAt, now), align: 'right' },
      {
        title: 'STATE',
        value: ({ state }) => state,
        paint: (text, { state }) => paintState(text, state, colors),
      },
      { title: 'TRIES', value: ({ attempts }) => String(attempts), align: 'right' },
      { title: 'STATUS', value: ({ lastStatus }) => String(lastStatus ?? '-'), align: 'right' },
      { title: 'TYPE', value: ({ type }) => oneLine(type) },
      { title: 'TASK', value: ({ taskId }) => oneLine(taskId ?? '-'), ids: true },
      { title: 'ERROR', value: ({ lastError }) => oneLine(lastError ?? ''), shrinkTo: 12 },
    ],
    width,
    colors,
  );
}

/** All of one delivery: what was sent, and what each attempt met. */
export function deliveryDetails(delivery: DeliveryDetails, options: TableOptions): string {
  const attempts = delivery.log.map(({ number, at, status, durationMs, error, response }) => {
    const met = error ?? `the receiver answered ${status}`;
    const answer = response ? `: ${oneLine(response)}` : '';
    return `  ${number}. ${at}  ${duration(durationMs)}  ${oneLine(met)}${answer}`;
  });
  const next = delivery.nextAt === null ? [] : [`  next attempt at ${delivery.nextAt}`];
  return [deliveryTable([delivery], options), ...attempts, ...next, oneLine(delivery.payload)].join('\n');
}

function healthOf({ disabledAt, failures }: WebhookView): string {
  if (disabledAt !== null) return 'disabled';
  return failures > 0 ? 'failing' : 'ok';
}

function toldOf({ events, subtasks }: WebhookView): string {
  return oneLine(`${events.join(', ')}${subtasks ? ' (and subtasks)' : ''}`);
}

function paintState(text: string, state: DeliveryView['state'], colors: Colors): string {
  if (state === 'delivered') return colors.green(text);
  return state === 'failed' ? colors.red(text) : colors.yellow(text);
}
