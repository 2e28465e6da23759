/** The models and model profiles that tasks can be given. */
import { ModelList, usdOf, type ModelProfile } from '@bullpen/contracts';
import { builtInProfile, modelFacts, priceFor } from '@bullpen/core';
import { priceOf, PRICED_MODELS } from '@bullpen/models/prices';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { SETTINGS, type GatewaySettings } from '../http/tokens.js';
import { AgentCatalogue } from './agent-catalogue.js';

const MILLION = 1_000_000n;

@ApiTags('agents')
@Controller('v1/models')
export class ModelsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    private readonly agents: AgentCatalogue,
  ) {}

  @Get()
  @ApiRoute({
    summary: 'The models and model profiles that tasks can be given, with their prices of today',
    description:
      'US dollars per million tokens, for prompts of the lowest tier; a model without a price is one that the installation names itself.',
    answer: ModelList,
  })
  listModels(): ModelList {
    const { DEFAULT_MODEL, EXTRA_MODELS = [] } = this.settings;
    const ids = new Set([DEFAULT_MODEL, ...PRICED_MODELS, ...EXTRA_MODELS.filter((name) => name !== 'any')]);
    const models = [...ids].map((id) => ({
      ...choiceOf(builtInProfile(id)),
      isBuiltIn: true,
      isDefault: id === DEFAULT_MODEL,
      contextTokens: modelFacts(id)?.contextWindow ?? null,
    }));
    const profiles = this.agents.profiles().map((profile) => ({
      ...choiceOf(profile),
      isBuiltIn: false,
      isDefault: false,
      contextTokens: profile.contextWindow,
    }));
    return { data: [...profiles, ...models] };
  }
}

function choiceOf(profile: ModelProfile): Pick<ModelList['data'][number], 'id' | 'profile' | 'price'> {
  return { id: profile.name, profile, price: priceToday(profile) };
}

function priceToday(profile: ModelProfile): ModelList['data'][number]['price'] {
  const price = priceFor(profile, new Date(), 0, null, priceOf);
  if (price === null) return null;
  const perMillion = (nanoUsd: bigint): string => usdOf(nanoUsd * MILLION);
  return {
    input: perMillion(price.inputNanoUsd),
    output: perMillion(price.outputNanoUsd),
    cacheRead: perMillion(price.cacheReadNanoUsd),
    cacheWrite: perMillion(price.cacheWrite5mNanoUsd),
  };
}
