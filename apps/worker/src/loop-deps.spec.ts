import { describe, expect, it } from '@jest/globals';
import { AppError } from '@bullpen/contracts';
import { providerKey } from './loop-deps.js';

const BASE = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined, MODEL_SIMULATED: false };

describe('the key of a worker', () => {
  it('is needed unless the model is simulated: without one the worker says what to set, and does not start', () => {
    for (const key of [undefined, '']) {
      const missing = () => providerKey({ ...BASE, ANTHROPIC_API_KEY: key });
      expect(missing).toThrow(AppError);
      expect(missing).toThrow(expect.objectContaining({ code: 'config_invalid' }));
      expect(missing).toThrow('ANTHROPIC_API_KEY');
    }
    expect(() => providerKey({ ...BASE, MODEL_SIMULATED: true })).not.toThrow();
    expect(() => providerKey({ ...BASE, ANTHROPIC_API_KEY: 'sk' })).not.toThrow();
  });
});
