/** The gateway as a library, for tests that run it in their own process; `main.ts` is the program. */
export { createGateway, type Gateway, type GatewayDeps } from './gateway.js';
