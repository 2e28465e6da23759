/** What the API advises in routes, in the words of somebody at a terminal. Pure. */

const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [
    /POST \/v1\/tasks\/\{id\}\/interrupt or \/pause with \{"now": true\}/g,
    'bullpen interrupt ID, or bullpen pause ID --now',
  ],
  [/POST \/v1\/tasks\/\{id\}\/messages/g, 'bullpen send ID "TEXT"'],
  [/GET \/v1\/tasks\/\{id\}\/history\/api/g, 'bullpen tasks logs ID'],
  [/GET \/v1\/interactions\/\{id\}/g, 'bullpen inbox show ID'],
  [/GET \/v1\/agents\b(?!\/)/g, 'bullpen agents'],
  [/GET \/v1\/tasks\b(?!\/)/g, 'bullpen tasks list'],
  [/PATCH \/v1\/webhooks\/\{id\} with \{"enabled": true\}/g, 'bullpen webhooks enable ID'],
  [/GET \/readyz/g, 'bullpen doctor'],
];

/** The advice with commands for routes; a route that has none stays. */
export function inCommands(advice: string): string {
  return COMMANDS.reduce((text, [route, command]) => text.replace(route, command), advice);
}
