import { describe, expect, it } from '@jest/globals';
import { parseEnv } from './env.js';
import { routeTo } from './proxy.js';
import { workerSettings } from './settings.js';

const MODEL = 'https://api.anthropic.com';
const PROXY = 'http://proxy.example:8080';

describe('the way to the model', () => {
  it.each([
    ['https://api.anthropic.com/v1', 'HTTPS_PROXY', 'http://secure.example:3128'],
    ['http://models.example', 'HTTP_PROXY', 'http://plain.example:3128'],
  ])('to %s is that of %s', (url, from, proxy) => {
    const settings = { HTTPS_PROXY: 'http://secure.example:3128', HTTP_PROXY: 'http://plain.example:3128' };
    expect(routeTo(url, settings)).toEqual({
      kind: 'proxy',
      proxy: { url: proxy, authorization: null, from },
    });
  });

  it('is direct where no proxy of its kind is set', () => {
    expect(routeTo(MODEL, {})).toEqual({ kind: 'direct', because: 'no proxy is set' });
    expect(routeTo(MODEL, { HTTP_PROXY: PROXY }).kind).toBe('direct');
    expect(routeTo('http://models.example', { HTTPS_PROXY: PROXY }).kind).toBe('direct');
  });

  it.each([
    'http://127.0.0.1:7451',
    'http://127.1.2.3',
    'http://localhost:1',
    'http://sim.localhost',
    'http://[::1]:9',
    'http://0.0.0.0:9',
  ])('to this machine (%s) never leads through a proxy', (url) => {
    expect(routeTo(url, { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY })).toEqual({
      kind: 'direct',
      because: 'this machine',
    });
  });

  it.each([
    ['*', MODEL],
    ['api.anthropic.com', MODEL],
    ['other.example, API.anthropic.com', MODEL],
    ['other.example api.anthropic.com', MODEL],
    ['anthropic.com', MODEL],
    ['.anthropic.com', MODEL],
    ['*.anthropic.com', MODEL],
    ['api.anthropic.com:443', MODEL],
    ['api.anthropic.com.', 'https://api.anthropic.com./'],
    ['10.0.0.0/8', 'https://10.20.30.40'],
    ['10.20.30.40', 'https://10.20.30.40'],
    ['10.20.30.40:8443', 'https://10.20.30.40:8443'],
    ['fd00::/8', 'https://[fd00::5]'],
    ['fd00::5', 'https://[fd00::5]'],
    ['[fd00::5]:443', 'https://[fd00::5]'],
  ])('is direct where NO_PROXY (%s) names %s', (noProxy, url) => {
    expect(routeTo(url, { HTTPS_PROXY: PROXY, NO_PROXY: noProxy })).toEqual({
      kind: 'direct',
      because: 'NO_PROXY',
    });
  });

  it.each([
    '',
    'thropic.com',
    'api.anthropic.com:8443',
    'api.anthropic.com.evil.example',
    '10.0.0.0/8',
    '10.0.0.0/99',
    ',',
    'a/b/c',
    ':',
  ])('is not direct because NO_PROXY is %j', (noProxy) => {
    for (const url of [MODEL, 'https://11.0.0.1'])
      expect(routeTo(url, { HTTPS_PROXY: PROXY, NO_PROXY: noProxy }).kind).toBe('proxy');
  });

  it.each([
    ['proxy.example:8080', PROXY, null],
    ['http://user:p%40ss@proxy.example:8080/', PROXY, `Basic ${Buffer.from('user:p@ss').toString('base64')}`],
    ['user@proxy.example:8080', PROXY, `Basic ${Buffer.from('user:').toString('base64')}`],
    ['https://proxy.example', 'https://proxy.example', null],
  ])('takes %s and keeps its credentials apart', (given, url, authorization) => {
    expect(routeTo(MODEL, { HTTPS_PROXY: given })).toEqual({
      kind: 'proxy',
      proxy: { url, authorization, from: 'HTTPS_PROXY' },
    });
  });

  it.each([
    'http://',
    'http://a b',
    'socks5://user:secret@proxy.example:1080',
    'http://user:secret%@proxy.example',
    '://',
    'http://proxy.example:99999',
  ])('names the variable, what to set, and no secret for %s', (given) => {
    const route = () => routeTo(MODEL, { HTTPS_PROXY: given });
    expect(route).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(route).toThrow(/^HTTPS_PROXY \(or https_proxy\) .*Set it like http:\/\/proxy\.example:8080/);
    expect(route).not.toThrow(/secret/);
  });

  it('does not mind a proxy that cannot be used where it is not needed', () => {
    expect(routeTo('https://localhost:1', { HTTPS_PROXY: 'socks5://x' }).kind).toBe('direct');
    expect(routeTo(MODEL, { HTTPS_PROXY: '://', NO_PROXY: '*' }).kind).toBe('direct');
  });
});

describe('the variables of a proxy', () => {
  it('may be written in lower case, which wins, as with other programs', () => {
    const { HTTPS_PROXY, HTTP_PROXY, NO_PROXY } = parseEnv(workerSettings, {
      https_proxy: 'http://lower.example',
      HTTPS_PROXY: 'http://upper.example',
      HTTP_PROXY: 'http://upper.example',
      http_proxy: '',
      no_proxy: 'a.example',
    });
    expect([HTTPS_PROXY, HTTP_PROXY, NO_PROXY]).toEqual([
      'http://lower.example',
      'http://upper.example',
      'a.example',
    ]);
  });
});
