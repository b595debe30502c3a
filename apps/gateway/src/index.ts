export { serveConsole } from './admin/console.ts';
export type { GatewayStore } from './deployments/deployment.ts';
export { createGateway, type Gateway } from './gateway.ts';
export type { GatewaySettings } from './settings/gateway-settings.ts';
export type { ApiKey, AuthSettings } from './settings/identity-settings.ts';
