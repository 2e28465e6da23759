import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { secretTraces } from '@bullpen/testing';
import { Masker } from './masker.js';
import { spellingsOf } from './spellings.js';

const VALUE = 'Tr0ub4dor-Kx9';
const ODD = 'p%25a"b\\c d&é';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const wrapped = (text: string, columns: number, end = '\n'): string =>
  (text.match(new RegExp(`.{1,${columns}}`, 'g')) ?? []).join(end);
const maskerOf = (...values: string[]): Masker =>
  new Masker(values.map((value, at) => ({ name: `V${at}`, value })));

/** Four characters in a row count as too many. */
const leftovers = (text: string, value: string): string[] => secretTraces(text, value, 4);

describe('a registered value', () => {
  it.each([
    ['alone', ''],
    ['after one byte', 'u'],
    ['after two', 'us'],
    ['after a user', 'usr:'],
  ])('is masked in base64, %s, with something after it, wrapped, and in the URL alphabet', (_, before) => {
    const masker = maskerOf(VALUE);
    for (const after of ['', '\n', ':x', ' and more text', '\u00e9']) {
      const text = base64(before + VALUE + after);
      const forms = [
        text,
        Buffer.from(before + VALUE + after).toString('base64url'),
        encodeURIComponent(text),
        ...[2, 3, 4, 7, 10, 64, 76].map((columns) => wrapped(text, columns)),
        wrapped(text, 10, '\r\n'),
        wrapped(text, 10, '\\n'),
        wrapped(text, 10, '\n    '),
        wrapped(text, 10)
          .split('\n')
          .map((line, at) => `${at + 1}\t${line}`)
          .join('\n'),
      ];
      for (const form of forms) {
        expect(masker.mask(form)).toContain('[secret V0]');
        expect(leftovers(masker.mask(form), VALUE)).toEqual([]);
      }
    }
  });

  it.each([
    ['JSON', JSON.stringify(ODD)],
    ['JSON in JSON', JSON.stringify({ text: JSON.stringify({ a: ODD }) })],
    ['JSON without other than ASCII', JSON.stringify(ODD).replace('é', '\\u00E9')],
    ['JSON for HTML', JSON.stringify(ODD).replace('&', '\\u0026')],
    ['the trace of a shell', `+ curl -H 'X: ${ODD}'`],
    ['a word that printf quotes', 'p%25a\\"b\\\\c\\ d\\&é'],
    ["a shell's escapes", `$'p%25a"b\\\\c d&\\303\\251\\n'`],
    ['a URL', encodeURIComponent(ODD)],
    ['a URL in small digits', encodeURIComponent(ODD).replace(/%../g, (code) => code.toLowerCase())],
    ['a form', new URLSearchParams({ q: ODD }).toString()],
    ['HTML', 'p%25a&quot;b\\c d&amp;é'],
    ['HTML with numbers', 'p%25a&#34;b&#92;c d&#x26;&#xE9;'],
    ['a header', `> Authorization: ${ODD}\r\n`],
    ['hexadecimal digits', Buffer.from(ODD).toString('hex')],
    ['capital hexadecimal digits in lines', wrapped(Buffer.from(ODD).toString('hex').toUpperCase(), 20)],
  ])('is masked in %s, registered with a line end or without', (_, text) => {
    for (const value of [ODD, `${ODD}\n`]) {
      const masked = maskerOf(value).mask(text);
      expect(masked).toContain('[secret V0]');
      expect(leftovers(masked, ODD)).toEqual([]);
    }
  });

  it('is masked with quotes in it, as shells write them', () => {
    const masker = maskerOf("it's-4-Secret");
    for (const text of [
      "'it'\\''s-4-Secret'",
      `'it'"'"'s-4-Secret'`,
      "it\\'s-4-Secret",
      'it&#039;s-4-Secret',
    ])
      expect(masker.mask(text)).toMatch(/^'?\[secret V0\]'?$/);
  });

  it('is masked with colour codes in the middle', () => {
    const masker = maskerOf(VALUE);
    expect(masker.mask('x Tr0\u001b[01;31m\u001b[Kub4\u001b[m\u001b[Kdor-Kx9 y')).toBe('x [secret V0] y');
    expect(masker.mask('Tr0\u001b]8;;http://x\u0007ub4dor-Kx9')).toBe('[secret V0]');
  });

  it('has a mask that says nothing of its length', () => {
    for (const value of ['k3y!9x', 'k3y!9x-k3y!9x-k3y!9x', `${'k3y!9x-'.repeat(9)}z`])
      expect(maskerOf(value).mask(`a ${value} b`)).toBe('a [secret V0] b');
  });

  it('is masked wherever it overlaps another one', () => {
    const masker = maskerOf('first-1234', '1234-second', 'first-1234-longer');
    expect(masker.mask('a first-1234-second b')).toBe('a [secret V0] b');
    expect(masker.mask('a first-1234-longer b')).toBe('a [secret V2] b');
    expect(masker.mask('first-1234first-1234')).toBe('[secret V0][secret V0]');
  });
});

describe('a value of several lines', () => {
  const KEY = [
    '{',
    '  "a": 1,',
    '  "private_key": "MIIEvQIBADANBgkqhkiG9w0BAQ",',
    '  "other": "AAAAB3NzaC1yc2EAAAADAQABAAABgQ"',
    '}',
  ].join('\n');

  it('is masked as a whole, numbered as well, and its long lines alone', () => {
    const masker = maskerOf(KEY);
    expect(masker.mask(`before\n${KEY}\nafter`)).toBe('before\n[secret V0]\nafter');
    expect(masker.mask(JSON.stringify(KEY))).toBe('"[secret V0]"');
    expect(masker.mask(KEY.replaceAll('\n', '\r\n'))).toBe('[secret V0]');
    expect(masker.mask('"private_key": "MIIEvQIBADANBgkqhkiG9w0BAQ",')).toBe('[secret V0]');
    const numbered = KEY.split('\n').map((line, at) => `${at + 1}\t${line}`);
    expect(masker.mask(numbered.join('\n'))).toBe('1\t[secret V0]');
  });

  it('leaves ordinary text readable', () => {
    const text = 'total 4\n-rw-r--r-- 1 a a 12 {}\n{\n  "a": 1,\n  "name": "x"\n}\n';
    expect(maskerOf(KEY).mask(text)).toBe(text);
    const pem = `-----BEGIN PRIVATE KEY-----\n${'q1W2e3R4'.repeat(8)}\n-----END PRIVATE KEY-----`;
    expect(maskerOf(pem).mask('It starts with -----BEGIN PRIVATE KEY-----')).not.toContain('secret');
  });
});

describe('registration', () => {
  it.each([
    ['1', 'fewer than'],
    ['4711', 'fewer than'],
    ['', 'empty'],
    ['   \n', 'empty'],
    ['docker', 'plain word'],
    ['Postgres', 'plain word'],
    ['my-app', 'plain word'],
    ['20241128', 'short number'],
    ['========', 'no letter'],
  ])('refuses %j, naming it', (value, reason) => {
    const masker = new Masker();
    const [refused] = masker.register([{ name: 'PIN', value }]);
    expect(refused).toMatchObject({ name: 'PIN', reason: expect.stringContaining(reason) });
    expect(masker.mask('docker run 4711 1 20241128 ========   \n')).not.toContain('secret');
  });

  it('never tells a value that stands where a name should', () => {
    const [refused] = new Masker().register([{ name: 'a b=hunter2-hunter2', value: 'x' }]);
    expect(JSON.stringify(refused)).not.toContain('hunter2');
  });

  it('adds to what is masked already, and two values may have one name', () => {
    const masker = maskerOf(VALUE);
    expect(masker.register([{ name: 'V0', value: 'other-4-value' }])).toEqual([]);
    expect(masker.mask(`${VALUE} other-4-value`)).toBe('[secret V0] [secret V0]');
    expect(masker.names).toEqual(['V0']);
  });

  it('costs nothing when there is nothing to mask', () => {
    const text = 'any text';
    expect(new Masker().mask(text)).toBe(text);
  });
});

describe('a text that comes in pieces', () => {
  const SECRET = 'sk-9fK2mQ7xV4bN8cL1zR5tY3wE6uI0pA-hJgDsX';

  it('lets no byte of a value out that comes byte by byte', () => {
    const stream = maskerOf(SECRET).stream();
    const out = [...`=> ${SECRET} <=`].map((piece) => stream.push(piece));
    expect(out.slice(3, 3 + SECRET.length - 1).join('')).toBe('');
    expect(out.join('') + stream.end()).toBe('=> [secret V0] <=');
  });

  it('gives half of a value only at the end', () => {
    const stream = maskerOf(SECRET).stream();
    expect(stream.push(SECRET.slice(0, 20))).toBe('');
    expect(stream.end()).toBe(SECRET.slice(0, 20));
  });

  it('holds nothing back that cannot become a value', () => {
    const stream = maskerOf(SECRET).stream();
    expect(stream.push('sk-9fK2? no')).toBe('sk-9fK2? no');
  });

  it('holds back a bounded number of characters, whatever is printed', () => {
    const stream = maskerOf(SECRET).stream();
    const start = base64(SECRET).slice(0, 6);
    const printed = start + ' '.repeat(10_000);
    const out = [...printed].map((piece) => stream.push(piece)).join('');
    expect(printed.length - out.length).toBeLessThan(100);
  });
});

describe('a part of a text', () => {
  it('has a mask where a value lies across its ends', () => {
    const masker = maskerOf(VALUE);
    const text = `0123 ${VALUE} 4567`;
    expect(masker.maskRange(text, 0, 8)).toBe('0123 [secret V0]');
    expect(masker.maskRange(text, 8, text.length)).toBe('[secret V0] 4567');
    expect(masker.maskRange(text, 7, 9)).toBe('[secret V0]');
    expect(masker.maskRange(text, 0, 5)).toBe('0123 ');
    for (const character of '\n"\\é漢😀 a\'')
      expect(Math.max(...spellingsOf(character).map(({ length }) => length))).toBeLessThanOrEqual(48);
    expect(masker.reach).toBe(VALUE.length * 48);
  });
});

describe('a text that was cut', () => {
  const masker = maskerOf(VALUE);

  it('has masks for the parts of a value next to the cut, in the line of the note and beside it', () => {
    expect(masker.mask('a Tr0ub4d…')).toBe('a [secret V0]…');
    expect(masker.mask('…b4dor-Kx9 b')).toBe('…[secret V0] b');
    expect(masker.mask('…b4dor-K…')).toBe('…[secret V0]…');
    expect(masker.mask('a Tr0ub4\n… [7 bytes left out here] …\n-Kx9 b')).toBe(
      'a [secret V0]\n… [7 bytes left out here] …\n[secret V0] b',
    );
    const text = base64(`user:${VALUE}`);
    expect(leftovers(masker.mask(`${text.slice(0, 14)}…`), VALUE)).toEqual([]);
    expect(leftovers(masker.mask(`…\n${text.slice(13)}`), VALUE)).toEqual([]);
  });

  it('has masks where the cut went through a spelling in which the character itself can be read', () => {
    const quoted = maskerOf("7qAAAA'AAZ");
    expect(quoted.mask(`…\\''AAZ'`)).toBe(`…[secret V0]'`);
    expect(quoted.mask(`…''AAZ'`)).toBe(`…[secret V0]'`);
    expect(maskerOf("7qAAAA''AZ").mask(`…\\''AZ'`)).toBe(`…[secret V0]'`);
    expect(maskerOf(`7qAA"'"'AZ`).mask(`…"'"'AZ'`)).toBe(`…[secret V0]'`);
    expect(maskerOf(`7q'\\AAAAAZ`).mask(`'7q'\\'…`)).toBe(`'[secret V0]…`);
    expect(maskerOf(`7q'\\AAAAAZ`).mask(`'7q'\\'\n… cut`)).toBe(`'[secret V0]\n… cut`);
  });

  it('has masks where the cut went through the spelling of the last or the first character', () => {
    expect(maskerOf('Tr0ub4dor"').mask('Tr0ub4dor\\…')).toBe('[secret V0]…');
    expect(maskerOf('Tr0ub4dor"').mask('Tr0ub4dor\\\n… cut')).toBe('[secret V0]\n… cut');
    expect(maskerOf('éTr0ub4dor').mask('…e9Tr0ub4dor')).toBe('…[secret V0]');
  });

  it('keeps what is no part of one', () => {
    for (const text of ['a Tr0…', '…Kx9', '… Tr0ub4 d', 'dor-K…', '…\n…'])
      expect(masker.mask(text)).toBe(text);
  });

  it('is masked behind a cut that went through the end of a line of it', () => {
    const lines = wrapped(base64(`usr:${VALUE}`), 4).split('\n');
    const text = `${lines[0]}\n… 9 left out …\n\n${lines.slice(3).join('\n')} end`;
    expect(leftovers(masker.mask(text), VALUE)).toEqual([]);
    expect(masker.mask(text)).toMatch(/out …\n\n\[secret V0\]\w?=* end$/);
  });

  it('is masked at ends without a mark, if these are known', () => {
    expect(masker.maskPart('b4dor-Kx9 Tr0ub', { start: true, end: true })).toBe('[secret V0] [secret V0]');
    expect(masker.maskPart('b4dor-Kx9 Tr0ub', { start: false, end: false })).toBe('b4dor-Kx9 Tr0ub');
  });

  it('may come in pieces with gaps', () => {
    const stream = masker.stream();
    let out = stream.push('=> Tr0ub');
    out += stream.gap();
    for (const piece of 'dor-Kx9 <= Tr0ub4') out += stream.push(piece);
    out += stream.gap();
    out += stream.push(' <=');
    expect(out + stream.end()).toBe('=> [secret V0][secret V0] <= [secret V0] <=');
  });
});

describe('a document', () => {
  it('is masked in values and keys, and stays a document', () => {
    const masker = maskerOf('a","b-12', VALUE);
    const value = { a: ['a', 'b-12'], [VALUE]: { n: 1, t: `x ${VALUE}` }, no: null };
    expect(masker.maskJson(value)).toEqual({
      a: ['a', 'b-12'],
      '[secret V1]': { n: 1, t: 'x [secret V1]' },
      no: null,
    });
    expect(JSON.parse(masker.maskJsonText(JSON.stringify(value)))).toEqual(masker.maskJson(value));
    const clean = { a: [1, { b: 'c' }] };
    expect(masker.maskJson(clean)).toBe(clean);
  });

  it('tells the masks in it', () => {
    const masker = maskerOf(VALUE);
    expect(masker.masksIn('A=[secret V0]\nB=[secret V0]\nC=[secret OTHER]')).toEqual(['V0']);
  });
});

describe('by chance', () => {
  const CHARACTERS = [
    ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~!@#$%^&*()+=/\\"\'<>?:;,{}[]| éß漢😀',
  ];
  /**
   * What stands around a value has no character of one: with a quote before it, ` en` of `end` was four of a value once. The same
   * goes for the masks in it.
   */
  const AROUND = 'слово';
  const remains = (masked: string, value: string) =>
    leftovers(masked.replace(/\[secret V\d\]/g, 'тайна'), value);
  /** A shell writes a quote with others around it, so two in a row may be one of the value. */
  const isTelling = (run: string) => !/['"\\]{2}/.test(run);
  // A shell's spelling of quotes has more quotes in it, so there are many.
  const unit = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...CHARACTERS) },
    { weight: 1, arbitrary: fc.constant("'") },
  );
  const texts = (minLength: number, maxLength: number) => fc.string({ unit, minLength, maxLength });
  const values = fc.array(
    texts(8, 50).map((text) => `7q${text}Z`),
    { minLength: 1, maxLength: 3 },
  );

  /** An encoding of a value, with what may stand around it before it is encoded, and a number to vary it by. */
  type Encode = (text: string, before: string, after: string, by: number) => string;
  const ENCODINGS: readonly Encode[] = [
    (text) => text,
    (text) => JSON.stringify(text),
    (text) => JSON.stringify(JSON.stringify([text])),
    (text) => encodeURIComponent(text),
    (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
    (text) => new URLSearchParams({ v: text }).toString(),
    (text) => `'${text.replaceAll("'", "'\\''")}'`,
    (text) => `'${text.replaceAll("'", `'"'"'`)}'`,
    (text) => JSON.stringify(`'${text.replaceAll("'", "'\\''")}'`),
    (text) => JSON.stringify(`'${text.replaceAll("'", `'"'"'`)}'`),
    (text) => text.replace(/[!-/:-@[-`{-~ ]/g, '\\$&'),
    (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    (text, before, after) => base64(before + text + after),
    (text, before, after, by) => wrapped(base64(before + text + after), 2 + by),
    (text, before) => Buffer.from(before + text).toString('base64url'),
    (text, before) => encodeURIComponent(base64(before + text)),
    (text) => Buffer.from(text).toString('hex'),
    (text, _before, _after, by) =>
      [...text].map((one, at) => (at % (by + 2) === 1 ? `\u001b[${by}m${one}` : one)).join(''),
  ];
  const around = fc.constantFrom('', 'u', 'us', 'usr', 'usr:');
  const uses = fc.array(
    fc.tuple(fc.nat(), fc.constantFrom(...ENCODINGS), around, around, fc.nat({ max: 75 })),
    { minLength: 1, maxLength: 6 },
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 });

  it('nothing of a value is left in any encoding, and pieces give what the whole gives', () => {
    const holds = fc.property(values, uses, sizes, (secrets, used, steps) => {
      const masker = maskerOf(...secrets);
      const text = used
        .map(
          ([which, encode, ...around]) =>
            `${AROUND} ${encode(secrets[which % secrets.length] ?? '', ...around)} ${AROUND}`,
        )
        .join('\n');
      const masked = masker.mask(text);
      for (const value of secrets) expect(remains(masked, value)).toEqual([]);
      const stream = masker.stream();
      let pieces = '';
      for (let at = 0, n = 0; at < text.length; n += 1) {
        const size = steps[n % steps.length] ?? 1;
        pieces += stream.push(text.slice(at, at + size));
        at += size;
      }
      expect(pieces + stream.end()).toBe(masked);
    });
    fc.assert(holds, { numRuns: 300 });
  });

  it('nothing of a value is left where a text is cut', () => {
    const holds = fc.property(values, uses, fc.nat(), fc.nat({ max: 30 }), (given, used, at, gap) => {
      // Two code units are one character.
      const secrets = given.map((value) => value.replaceAll('😀', '~'));
      const masker = maskerOf(...secrets);
      const [which, encode, ...around] = used[0] ?? [0, String, '', '', 0];
      const value = secrets[which % secrets.length] ?? '';
      const text = encode(value, ...around);
      fc.pre(!text.includes('\u001b')); // A cut may go through a spelling, but not through a colour code.
      const cut = at % text.length;
      const cuts = [
        `${text.slice(0, cut)}…`,
        `…${text.slice(cut)}`,
        `…${text.slice(cut, cut + 20)}…`,
        `${text.slice(0, cut)}\n… ${gap} ${AROUND} …\n${text.slice(cut + gap)}`,
      ];
      // What may be seen of one value may by chance be the middle of another, which has to be cut on both sides.
      for (const one of cuts) expect(remains(masker.mask(one), value).filter(isTelling)).toEqual([]);
    });
    fc.assert(holds, { numRuns: 300 });
  });
});
