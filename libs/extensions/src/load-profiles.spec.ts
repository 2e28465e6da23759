/** The file of model profiles: what it may leave out, and where it is told to be wrong. */
import { describe, expect, it } from '@jest/globals';
import { parseProfiles } from './load-profiles.js';

const read = (text: string) => {
  const { profiles, flaws } = parseProfiles(text);
  return {
    names: [...profiles.keys()],
    flaws: flaws.map(({ line, message }) => `${line}: ${message}`),
    profiles,
  };
};

describe('the file of model profiles', () => {
  it('takes from a known model what it leaves out', () => {
    const { profiles, flaws } = read(
      [
        'careful:',
        '  model: claude-opus-5-5',
        '  thinking: adaptive',
        '  effort: high',
        '  fallback: [claude-sonnet-5-5]',
      ].join('\n'),
    );
    expect(flaws).toEqual([]);
    expect(profiles.get('careful')).toMatchObject({
      name: 'careful',
      provider: 'anthropic',
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
      thinking: 'adaptive',
      effort: 'high',
      fallback: ['claude-sonnet-5-5'],
    });
  });

  it('names an endpoint of its own with limits, dialect and prices', () => {
    const { profiles, flaws } = read(`local:
  provider: compatible
  model: qwen3
  baseUrl: http://127.0.0.1:8000
  contextWindow: 32000
  maxOutputTokens: 4000
  dialect: xml
  price:
    input: 0.1
    output: 0.4
    above: [{ promptTokens: 16000, input: 0.2, output: 0.8 }]
`);
    expect(flaws).toEqual([]);
    expect(profiles.get('local')).toMatchObject({
      dialect: 'xml',
      price: { input: 0.1, above: [{ output: 0.8 }] },
    });
  });

  it('names a model of a cloud with its region, project and limits', () => {
    const { profiles, flaws } = read(`b:
  provider: bedrock
  region: eu-west-1
  model: eu.anthropic.claude-sonnet-5-5-v1:0
  contextWindow: 200000
  maxOutputTokens: 32000
v:
  provider: vertex
  project: acme-1
  model: claude-sonnet-5-5@20261007
  contextWindow: 200000
  maxOutputTokens: 32000
`);
    expect(flaws).toEqual([]);
    expect(profiles.get('b')).toMatchObject({ provider: 'bedrock', region: 'eu-west-1', project: null });
    expect(profiles.get('v')).toMatchObject({ provider: 'vertex', region: null, project: 'acme-1' });
  });

  it.each([
    [
      'a region without a cloud',
      'a:\n  model: claude-haiku-4-5\n  region: eu-west-1',
      '1: a: region: belongs to',
    ],
    [
      'a project of Bedrock',
      'a:\n  model: claude-haiku-4-5\n  provider: bedrock\n  project: acme-1',
      '1: a: project: belongs to the provider vertex',
    ],
    [
      'a key of Vertex',
      'a:\n  model: claude-haiku-4-5\n  provider: vertex\n  keyName: K',
      '1: a: keyName: vertex takes no key',
    ],
    [
      'a region that leads elsewhere',
      'a:\n  model: claude-haiku-4-5\n  provider: bedrock\n  region: evil.test/x',
      '4: a.region: must be lower-case letters, digits and dashes',
    ],
    ['what is no YAML', 'a: [', '1: is not YAML: Flow sequence'],
    [
      'a key that there is none of',
      'a:\n  model: claude-opus-5-5\n  efort: low',
      '3: a: there is no setting efort',
    ],
    ['limits that nobody knows', 'a:\n  model: mine', '1: a.contextWindow: is missing'],
    [
      'a setting that the model refuses',
      'a:\n  model: claude-haiku-4-5\n  effort: low',
      '1: a: effort: claude-haiku-4-5 takes none',
    ],
    [
      'an answer as large as the window',
      'a:\n  model: claude-haiku-4-5\n  contextWindow: 64000',
      '1: a: a window of 64000 tokens less 64000 for the answer is 0',
    ],
    [
      'an endpoint without address',
      'a:\n  model: claude-haiku-4-5\n  provider: compatible',
      '1: a: baseUrl: is missing',
    ],
    [
      'a password in an address',
      'a:\n  model: claude-haiku-4-5\n  baseUrl: http://u:p@127.0.0.1',
      '1: a: baseUrl: must hold no user and no password',
    ],
    [
      'a key without an address',
      'a:\n  model: claude-haiku-4-5\n  keyName: K',
      '1: a: keyName: belongs to a baseUrl',
    ],
    [
      'a price of parts of a nano-dollar',
      'a:\n  model: claude-haiku-4-5\n  price: { input: 0.00001, output: 1 }',
      '3: a.price.input: ',
    ],
    [
      'a fallback that is none',
      'a:\n  model: claude-haiku-4-5\n  fallback: [b]',
      '3: a.fallback: there is no profile b',
    ],
    [
      'itself as its fallback',
      'a:\n  model: claude-haiku-4-5\n  fallback: [a]',
      '3: a.fallback: a profile cannot fall back to itself',
    ],
  ])('tells the line of %s, and goes on with the rest', (_what, wrong, told) => {
    const alone = read(wrong);
    expect([alone.names, alone.flaws[0]]).toEqual([[], expect.stringContaining(told)]);
    if (told.includes('YAML')) return;
    expect(read(`${wrong}\nb:\n  model: claude-opus-5-5`).names).toContain('b');
  });
});
