import { describe, expect, it } from '@jest/globals';
import { checkModel, checkRunningModel } from './model-check.js';

describe('the way to the model', () => {
  const withKey = { ANTHROPIC_API_KEY: 'sk-secret' };

  it('is shown with the proxy, and without its password', () => {
    const check = checkModel({ ...withKey, HTTPS_PROXY: 'http://user:hidden@proxy.example:8080' });
    expect(check).toEqual({
      name: 'Model',
      status: 'ok',
      proof:
        'ANTHROPIC_API_KEY is set; requests go to the Anthropic API through the proxy http://proxy.example:8080 (HTTPS_PROXY, with a user and a password)',
    });
  });

  it('is direct for a host in NO_PROXY, and shows nothing secret of the address either', () => {
    const { proof } = checkModel({
      ...withKey,
      ANTHROPIC_BASE_URL: 'https://user:hidden@models.example/v1?token=hidden',
      HTTPS_PROXY: 'http://proxy.example',
      NO_PROXY: '.example',
    });
    expect(proof).toBe(
      'ANTHROPIC_API_KEY is set; requests go to https://models.example/v1, not through the proxy: NO_PROXY names the host',
    );
  });

  it('is a fault where the proxy cannot be used, and no fault where nothing asks for it', () => {
    const wrong = { HTTPS_PROXY: 'socks5://user:hidden@proxy.example' };
    const check = checkModel({ ...withKey, ...wrong });
    expect(check).toMatchObject({
      name: 'Model',
      status: 'fail',
      proof: expect.stringContaining('HTTPS_PROXY'),
    });
    expect(check.proof).not.toContain('hidden');
    expect(checkModel({ ...wrong }).status).toBe('info');
  });
});

describe('the model of what runs', () => {
  const at = (baseUrl: string, simulated = false) => ({ model: { baseUrl, simulated } });

  it('is told by what runs, whatever this shell is set to', () => {
    expect(
      checkRunningModel(at('http://127.0.0.1:1', true), { ANTHROPIC_API_KEY: 'sk-secret' }),
    ).toMatchObject({
      status: 'info',
      proof: expect.stringContaining('local simulator'),
    });
    for (const settings of [{}, { ANTHROPIC_API_KEY: 'sk-secret' }])
      expect(checkRunningModel(at('https://user:hidden@models.example/v1'), settings)).toEqual({
        name: 'Model',
        status: 'ok',
        proof: 'the running Bullpen sends requests to https://models.example/v1',
      });
  });

  it('is shown with its proxy where this shell is set alike', () => {
    const settings = { ANTHROPIC_API_KEY: 'sk-secret', HTTPS_PROXY: 'http://proxy.example' };
    expect(checkRunningModel(at('https://api.anthropic.com'), settings).proof).toContain('through the proxy');
  });
});
