/**
 * Claude on Amazon Bedrock and Google Vertex AI, by Anthropic's own packages: they sign requests and turn the answers into those of the
 * Messages API, so that all else is as it is there. They are large, and loaded with the first request that needs one.
 */
import { errorText } from '@bullpen/contracts';
import type { Model, ModelError, ModelRequest } from '@bullpen/core';
import { AnthropicModel, clientOptions, type MessagesClient } from './anthropic-model.js';
import type { ModelProxy } from './watched-connection.js';

/** Where a cloud's models are. Null: as the environment or the credentials of this process say. */
export interface CloudPlace extends Pick<ModelRequest, 'region' | 'project' | 'baseUrl'> {
  readonly provider: 'bedrock' | 'vertex';
  /** Amazon's key for Bedrock; null: whatever proves who this process is. */
  readonly apiKey: string | null;
}

/** The way to an address. */
export type ProxyFor = (url: string) => ModelProxy | null;

export class CloudModel implements Model {
  #opened: Promise<AnthropicModel> | undefined;

  constructor(
    private readonly place: CloudPlace,
    private readonly proxyFor: ProxyFor,
  ) {}

  async *stream(...args: Parameters<Model['stream']>): ReturnType<Model['stream']> {
    const model = await this.#open();
    if ('error' in model) yield { type: 'error', error: model.error };
    else yield* model.opened.stream(...args);
  }

  async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number> {
    const model = await this.#open();
    if ('error' in model) throw new Error(model.error.message);
    return model.opened.countTokens(request, signal);
  }

  /** Once for all requests, unless it fails: credentials may come later. */
  async #open(): Promise<{ readonly opened: AnthropicModel } | { readonly error: ModelError }> {
    this.#opened ??= open(this.place, this.proxyFor);
    try {
      return { opened: await this.#opened };
    } catch (error) {
      this.#opened = undefined;
      const message = `The model endpoint of ${this.place.provider} cannot be used: ${errorText(error)}`;
      const nothing = { httpStatus: null, retryAfterMs: null, providerRequestId: null };
      return { error: { class: 'authentication', message, ...nothing } };
    }
  }
}

async function open(place: CloudPlace, proxyFor: ProxyFor): Promise<AnthropicModel> {
  const client = await (place.provider === 'bedrock' ? openBedrock(place) : openVertex(place));
  return new AnthropicModel({ apiKey: client, proxy: proxyFor(client.baseURL) });
}

type CloudClient = MessagesClient & { readonly baseURL: string };

/** With a key, or else signed with what Amazon's chain finds: the environment, profiles, the role of the machine. */
async function openBedrock({ region, baseUrl, apiKey }: CloudPlace): Promise<CloudClient> {
  const { AnthropicBedrock } = await import('@anthropic-ai/bedrock-sdk');
  return new AnthropicBedrock({
    ...clientOptions(),
    ...(region !== null && { awsRegion: region }),
    ...(baseUrl !== null && { baseURL: baseUrl }),
    ...(apiKey !== null && { apiKey }),
  });
}

/** With Google's default credentials. They are looked for here: the client would leave a failure to nobody. */
async function openVertex({ region, project, baseUrl }: CloudPlace): Promise<CloudClient> {
  const [{ AnthropicVertex }, { GoogleAuth }] = await Promise.all([
    import('@anthropic-ai/vertex-sdk'),
    import('google-auth-library'),
  ]);
  const authClient = await new GoogleAuth({
    scopes: 'https://www.googleapis.com/auth/cloud-platform',
    // Else it would be asked for at Google's.
    ...(project !== null && { projectId: project }),
  }).getClient();
  return new AnthropicVertex({
    ...clientOptions(),
    authClient,
    ...(region !== null && { region }),
    ...(project !== null && { projectId: project }),
    ...(baseUrl !== null && { baseURL: baseUrl }),
  });
}
