/** What the API advises in routes, in the words of somebody at a terminal. Pure. */

const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [
    /POST \/v1\/tasks\/\{id\}\/interrupt or \/pause with \{"now": true\}/g,
    'bullpen interrupt ID, or bullpen pause ID --now',
  ],
  [/POST \/v1\/tasks\/\{id\}\/messages/g, 'bullpen send ID "TEXT"'],
  [/GET \/v1\/tasks\/\{id\}\/messages/g, 'bullpen messages ID'],
  [/GET \/v1\/tasks\/\{id\}\/history\/api/g, 'bullpen tasks logs ID'],
  [/GET \/v1\/tasks\/\{id\}\/processes/g, 'bullpen processes list ID'],
  [/GET \/v1\/processes\/\{id\}/g, 'bullpen processes show ID'],
  [/GET \/v1\/tasks\b(?!\/)/g, 'bullpen tasks list'],
  [/GET \/v1\/interactions\/\{id\}/g, 'bullpen inbox show ID'],
  [/GET \/v1\/interactions\b(?!\/)/g, 'bullpen inbox'],
  [/GET \/v1\/agents\b(?!\/)/g, 'bullpen agents'],
  [/GET \/v1\/providers\b(?!\/)/g, 'bullpen providers list'],
  [/GET \/v1\/policies\b(?!\/)/g, 'bullpen policy'],
  [/GET \/v1\/tenants\b(?!\/)/g, 'bullpen tenants list'],
  [/PATCH \/v1\/tenants\/(\S+)/g, 'bullpen tenants set $1'],
  [/GET \/v1\/webhooks finds it; PATCH changes what it is told\./g, 'bullpen webhooks list shows it.'],
  [/GET \/v1\/webhooks\/\{id\}\/deliveries/g, 'bullpen webhooks log ID'],
  [/GET \/v1\/webhooks\b(?!\/)/g, 'bullpen webhooks list'],
  [/PATCH \/v1\/webhooks\/\{id\} with \{"enabled": true\}/g, 'bullpen webhooks enable ID'],
  [/POST \/v1\/webhooks\/\{id\}\/rotate-secret/g, 'bullpen webhooks rotate ID'],
  [/POST \/v1\/login-links/g, 'bullpen open'],
  [/GET \/readyz/g, 'bullpen doctor'],
];

const ROUTE = /\b(?:GET|POST|PUT|PATCH|DELETE) \/|\/v1\/|\/docs\b/;
/** The resource that a request was about: `/v1/tasks/task_…/messages`. */
const RESOURCE = /^\/v1\/[a-z-]+\/([a-z]+_[0-9a-z]{26})(?:\/|$)/;

/**
 * The advice with commands for routes, and with the id at hand. `instance` is the path of the request. Routes that no command has are
 * for those who write programs: null.
 */
export function inCommands(advice: string, instance = ''): string | null {
  const id = RESOURCE.exec(instance)?.[1];
  const text = COMMANDS.reduce((said, [route, command]) => said.replace(route, command), advice);
  if (ROUTE.test(text)) return null;
  return id === undefined ? text : text.replace(/(\bbullpen [a-z ]+?) ID\b/g, `$1 ${id}`);
}
