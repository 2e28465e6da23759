/** Who answers for the model, and the way there. */
import type { SystemInfo } from '@bullpen/contracts';
import { modelUrlOf, routeTo, type ProxySettings, type Route, type UpSettings } from '@bullpen/platform';
import { reasonOf } from '../errors.js';
import type { Check } from './check.js';

type ModelSettings = ProxySettings & Pick<UpSettings, 'ANTHROPIC_API_KEY' | 'ANTHROPIC_BASE_URL'>;

const SIMULATED = 'answers come from the local simulator';

/** Of what runs: it may have been started with other settings than those of this shell. */
export function checkRunningModel({ model }: Pick<SystemInfo, 'model'>, settings: ModelSettings): Check {
  const name = 'Model';
  if (model.simulated)
    return {
      name,
      status: 'info',
      proof: `the running Bullpen has no ANTHROPIC_API_KEY: ${SIMULATED}`,
      fix: 'set ANTHROPIC_API_KEY and start again to use Claude',
    };
  const alike = settings.ANTHROPIC_API_KEY !== undefined && modelUrlOf(settings) === model.baseUrl;
  if (alike) return checkModel(settings);
  return {
    name,
    status: 'ok',
    proof: `the running Bullpen sends requests to ${shownAddress(model.baseUrl)}`,
  };
}

/** Of what would be started with these settings. */
export function checkModel(settings: ModelSettings): Check {
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL } = settings;
  const name = 'Model';
  if (ANTHROPIC_API_KEY === undefined)
    return {
      name,
      status: 'info',
      proof: `no ANTHROPIC_API_KEY: ${SIMULATED}`,
      fix: 'set ANTHROPIC_API_KEY to use Claude',
    };
  try {
    const to = ANTHROPIC_BASE_URL === undefined ? 'the Anthropic API' : shownAddress(ANTHROPIC_BASE_URL);
    const way = wayOf(routeTo(modelUrlOf(settings), settings));
    return { name, status: 'ok', proof: `ANTHROPIC_API_KEY is set; requests go to ${to}${way}` };
  } catch (error) {
    return { name, status: 'fail', proof: reasonOf(error), fix: 'correct or remove that variable' };
  }
}

/** An address may hold credentials. */
function shownAddress(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}

function wayOf(route: Route): string {
  if (route.kind === 'proxy') {
    const { url, authorization, from } = route.proxy;
    const user = authorization === null ? '' : ', with a user and a password';
    return ` through the proxy ${url} (${from}${user})`;
  }
  return route.because === 'NO_PROXY' ? ', not through the proxy: NO_PROXY names the host' : '';
}
