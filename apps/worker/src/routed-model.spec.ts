/** Each request goes where its profile says, with the key of that place and no other. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { builtInProfile, type Model, type ModelChunk } from '@bullpen/core';
import { aModelRequest, ScriptedModel, type ScriptedStep } from '@bullpen/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RoutedModel } from './routed-model.js';

const asked: { key: string | undefined; model: string }[] = [];
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const { model } = JSON.parse(body) as { model: string };
      asked.push({ key: request.headers.authorization ?? (request.headers['x-api-key'] as string), model });
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: 'no' } }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

/** Counts everything as 7. */
const usualModel = (...steps: ScriptedStep[]) =>
  Object.assign(new ScriptedModel(...steps), { countTokens: () => Promise.resolve(7) });

const settings = { SECRET_VALUES: [{ name: 'LOCAL_KEY', value: 'sk-local' }] };

async function chunksOf(
  model: Model,
  change: Partial<ReturnType<typeof builtInProfile>>,
): Promise<ModelChunk[]> {
  const request = aModelRequest({ ...builtInProfile('mine'), ...change });
  const chunks: ModelChunk[] = [];
  for await (const chunk of model.stream(request, new AbortController().signal, () => true))
    chunks.push(chunk);
  return chunks;
}

it('goes to the usual place without an address, and else there, with the key that the profile names', async () => {
  const usual = usualModel({ text: 'Hello' });
  const model = new RoutedModel(usual, settings);
  await chunksOf(model, {});
  usual.assertDone();
  expect(asked).toEqual([]);
  await chunksOf(model, { baseUrl: url, keyName: 'LOCAL_KEY' });
  await chunksOf(model, { baseUrl: url });
  expect(asked.map(({ key, model: name }) => [key?.replace('Bearer ', ''), name])).toEqual([
    ['sk-local', 'mine'],
    ['none', 'mine'],
  ]);
});

it('sends nothing when the key is not there, and says which', async () => {
  const before = asked.length;
  const [chunk] = await chunksOf(new RoutedModel(usualModel(), settings), {
    name: 'far',
    baseUrl: url,
    keyName: 'OTHER',
  });
  expect(chunk).toMatchObject({
    type: 'error',
    error: { class: 'request', message: expect.stringMatching(/far sends the key OTHER/) },
  });
  expect(asked).toHaveLength(before);
});

it('goes to a cloud as that wants it, and needs no address for that', async () => {
  const before = asked.length;
  const model = new RoutedModel(usualModel(), settings);
  const bedrock = { provider: 'bedrock', region: 'eu-west-1', model: 'there' } as const;
  const [error] = await chunksOf(model, { ...bedrock, keyName: 'OTHER' });
  expect(error).toMatchObject({ error: { message: expect.stringMatching(/sends the key OTHER/) } });
  expect(asked).toHaveLength(before);
  // A model that is not asked for by the name in the body is asked for in the path.
  const [refused] = await chunksOf(model, { ...bedrock, baseUrl: url, keyName: 'LOCAL_KEY' });
  expect(refused).toMatchObject({ type: 'error', error: { class: 'authentication' } });
  expect(asked.at(-1)).toEqual({ key: 'Bearer sk-local', model: undefined });
});

it('is asked for a count where it will be sent, so that no other endpoint sees it', async () => {
  const model = new RoutedModel(usualModel(), settings);
  const request = aModelRequest();
  const { signal } = new AbortController();
  expect(await model.countTokens(request, signal)).toBe(7);
  const before = asked.length;
  await expect(model.countTokens({ ...request, baseUrl: url }, signal)).rejects.toThrow(/401/);
  expect(asked).toHaveLength(before + 1);
});
