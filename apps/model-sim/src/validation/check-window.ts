/** Whether a request fits into its model's window, as the API refuses it when it does not. */
import { invalidRequest } from '../api-error.js';
import type { MessagesRequest } from '../wire.js';
import { modelVersion } from './model-name.js';

/** Throws `ApiError` (400) for a prompt of more tokens than the window has. Only old models also want room for the whole answer. */
export function checkWindow(
  { model, max_tokens: maxTokens }: Pick<MessagesRequest, 'model' | 'max_tokens'>,
  promptTokens: number,
  window: number,
): void {
  if (promptTokens > window)
    throw invalidRequest(`prompt is too long: ${promptTokens} tokens > ${window} maximum`);
  if (modelVersion(model) >= 4.5 || promptTokens + maxTokens <= window) return;
  throw invalidRequest(
    `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${maxTokens} > ${window}, decrease input length or \`max_tokens\` and try again`,
  );
}
