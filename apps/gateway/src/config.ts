/** Settings of the gateway process. */
import { gatewaySettings, workerSettings } from '@bullpen/platform';
import type { z } from 'zod';

const { DEFAULT_MODEL, ANTHROPIC_BASE_URL, MODEL_SIMULATED } = workerSettings.shape;

/** Its own, and what it has to know of the workers: the model that tasks get, and where it answers. */
export const gatewayConfig = gatewaySettings.extend({ DEFAULT_MODEL, ANTHROPIC_BASE_URL, MODEL_SIMULATED });
export type GatewayConfig = z.output<typeof gatewayConfig>;
