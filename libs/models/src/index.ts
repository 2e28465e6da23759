/** Claude for the core: the streaming client, its error classes, and what the models cost. */
export * from './anthropic-model.js';
export { toModelError } from './errors.js';
export * from './prices.js';
export * from './to-provider-request.js';
