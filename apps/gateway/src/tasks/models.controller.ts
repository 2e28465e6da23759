/** The models that tasks can be given. */
import { ModelList, usdOf } from '@bullpen/contracts';
import { modelFacts } from '@bullpen/core';
import { priceOf, PRICED_MODELS } from '@bullpen/models/prices';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { SETTINGS, type GatewaySettings } from '../http/tokens.js';

const MILLION = 1_000_000n;

@ApiTags('agents')
@Controller('v1/models')
export class ModelsController {
  constructor(@Inject(SETTINGS) private readonly settings: GatewaySettings) {}

  @Get()
  @ApiRoute({
    summary: 'The models that tasks can be given, with their prices of today',
    description:
      'US dollars per million tokens; a model without a price is one that the installation names itself.',
    answer: ModelList,
  })
  listModels(): ModelList {
    const { DEFAULT_MODEL, EXTRA_MODELS = [] } = this.settings;
    const ids = new Set([DEFAULT_MODEL, ...PRICED_MODELS, ...EXTRA_MODELS.filter((name) => name !== 'any')]);
    return {
      data: [...ids].map((id) => ({
        id,
        isDefault: id === DEFAULT_MODEL,
        contextTokens: modelFacts(id)?.contextWindow ?? null,
        price: priceToday(id),
      })),
    };
  }
}

function priceToday(model: string): ModelList['data'][number]['price'] {
  const price = priceOf(model, new Date(), 0, null);
  if (price === null) return null;
  const perMillion = (nanoUsd: bigint): string => usdOf(nanoUsd * MILLION);
  return {
    input: perMillion(price.inputNanoUsd),
    output: perMillion(price.outputNanoUsd),
    cacheRead: perMillion(price.cacheReadNanoUsd),
    cacheWrite: perMillion(price.cacheWrite5mNanoUsd),
  };
}
