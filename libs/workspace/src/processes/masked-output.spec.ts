import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Masker, NO_SECRETS } from '@bullpen/core';
import { maskedBytes, maskedPage } from './masked-output.js';
import { KeptOutput } from './read-output.js';

const VALUE = 'Tr0ub4dor-é-Kx9';
const OUTPUT = `é ${VALUE} and ${Buffer.from(`usr:${VALUE}`).toString('base64')} end`;
const masker = new Masker([{ name: 'DB', value: VALUE }]);
const MASK = '[secret DB]';

let folder: string;
let output: KeptOutput;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'masked-'));
  await writeFile(path.join(folder, '0'), OUTPUT);
  output = (await KeptOutput.open(folder)) as KeptOutput;
});
afterAll(() => rm(folder, { recursive: true }));

it('has no part of a value in any range, however small', async () => {
  const whole = masker.mask(OUTPUT);
  for (let from = 0; from < output.size; from += 1) {
    for (const limit of [1, 9, 20, 200]) {
      const page = await maskedPage(output, from, limit, true, masker);
      const bytes = await maskedBytes(output, from, limit, true, masker);
      // Every piece of it is a piece of what the whole shows, or a mask.
      for (const text of [page.text, bytes.bytes.toString('utf8')])
        for (const part of text.replaceAll(/\\x..|\ufffd/g, MASK).split(MASK))
          expect(whole.split(MASK).join('|')).toContain(part);
    }
  }
});

it('is what was kept where there is no value', async () => {
  expect(await maskedPage(output, 0, 200, true, NO_SECRETS)).toEqual({
    text: OUTPUT,
    from: 0,
    to: Buffer.byteLength(OUTPUT),
  });
  expect(await maskedBytes(output, 0, 3, true, masker)).toEqual({ from: 0, to: 3, bytes: Buffer.from('é ') });
});

it('gives half of a value only when nothing follows any more', async () => {
  const place = path.join(folder, 'half');
  await mkdir(place);
  await writeFile(path.join(place, '0'), '=> Tr0ub4dor');
  const half = (await KeptOutput.open(place)) as KeptOutput;
  expect(await maskedPage(half, 0, 100, false, masker)).toEqual({ text: '=> ', from: 0, to: 3 });
  expect(await maskedPage(half, 3, 100, false, masker)).toEqual({ text: '', from: 3, to: 3 });
  expect(await maskedBytes(half, 1, 100, false, masker)).toEqual({
    from: 1,
    to: 3,
    bytes: Buffer.from('> '),
  });
  expect(await maskedPage(half, 3, 100, true, masker)).toEqual({ text: 'Tr0ub4dor', from: 3, to: 12 });
});
