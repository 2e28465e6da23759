/** The model of a worker: each request goes where its profile says, with the key of that place and no other. */
import { isOnItsOwn, type Model, type ModelError, type ModelRequest } from '@bullpen/core';
import { AnthropicModel, CloudModel } from '@bullpen/models';
import { routeTo, type ProxySettings, type WorkerSettings } from '@bullpen/platform';

type Settings = ProxySettings & Pick<WorkerSettings, 'SECRET_VALUES'>;

/** What an endpoint that takes any request is sent as a key: the client wants one. */
const NO_KEY = 'none';

type Endpoint = AnthropicModel | CloudModel;

/** Profiles without an address of their own go to the usual endpoint. The others are opened once, when they are first needed. */
export class RoutedModel<T extends Model & Pick<AnthropicModel, 'countTokens'>> implements Model {
  readonly #opened = new Map<string, Endpoint>();

  constructor(
    private readonly usual: T,
    private readonly settings: Settings,
  ) {}

  stream(...args: Parameters<Model['stream']>): ReturnType<Model['stream']> {
    const [request] = args;
    const model = this.endpointOf(request);
    return typeof model === 'string' ? refused(model) : model.stream(...args);
  }

  async countTokens(request: ModelRequest, signal: AbortSignal): Promise<number> {
    const model = this.endpointOf(request);
    if (typeof model === 'string') throw new Error(model);
    return model.countTokens(request, signal);
  }

  /** Where the request goes, or why it cannot: sending it without its key would only be refused there. */
  private endpointOf(request: ModelRequest): T | Endpoint | string {
    const { name, provider, baseUrl, keyName } = request;
    if (baseUrl === null && !isOnItsOwn(request)) return this.usual;
    const { SECRET_VALUES = [] } = this.settings;
    const apiKey = keyName === null ? null : SECRET_VALUES.find((one) => one.name === keyName)?.value;
    if (apiKey === undefined)
      return `The model profile ${name} sends the key ${keyName ?? ''}, which the worker's setting SECRET_VALUES does not hold. Add it, restart Bullpen, and retry the task.`;
    const { region, project } = request;
    const place = JSON.stringify([provider, baseUrl, keyName, region, project]);
    const model = this.#opened.get(place) ?? this.open(request, apiKey);
    this.#opened.set(place, model);
    return model;
  }

  private open({ provider, region, project, baseUrl }: ModelRequest, apiKey: string | null): Endpoint {
    const proxyFor = (url: string) => {
      const route = routeTo(url, this.settings);
      return route.kind === 'proxy' ? route.proxy : null;
    };
    if (provider === 'bedrock' || provider === 'vertex')
      return new CloudModel({ provider, region, project, baseUrl, apiKey }, proxyFor);
    const baseURL = baseUrl ?? '';
    return new AnthropicModel({ apiKey: apiKey ?? NO_KEY, baseURL, proxy: proxyFor(baseURL) });
  }
}

async function* refused(message: string): ReturnType<Model['stream']> {
  const nothing = { httpStatus: null, retryAfterMs: null, providerRequestId: null };
  const error: ModelError = { class: 'request', message, ...nothing };
  yield await Promise.resolve({ type: 'error' as const, error });
}
