/** Settings of the gateway process. */
import { gatewaySettings, workerSettings } from '@bullpen/platform';
import type { z } from 'zod';

const { ANTHROPIC_BASE_URL, MODEL_SIMULATED } = workerSettings.shape;

/** Its own, and what it has to know of the workers: where their models answer. */
export const gatewayConfig = gatewaySettings.extend({ ANTHROPIC_BASE_URL, MODEL_SIMULATED });
export type GatewayConfig = z.output<typeof gatewayConfig>;
