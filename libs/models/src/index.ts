/** Claude for the core: the streaming client, its error classes, and what the models cost. */
export { AnthropicModel } from './anthropic-model.js';
export { CloudModel } from './cloud-model.js';
export { TokenCounter } from './count-tokens.js';
export { toProviderRequest } from './to-provider-request.js';
export { PRICED_MODELS, priceOf, hasPrice } from './prices.js';
