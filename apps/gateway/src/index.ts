export { serveConsole } from './admin/console.ts';
export { createGateway, type Gateway, type GatewayDependencies, type GatewayStore } from './gateway.ts';
export {
  defaultGatewaySettings,
  type GatewaySettings,
} from './settings/gateway-settings.ts';
export type { ApiKey, AuthSettings } from './settings/identity-settings.ts';
