export {
  type ApiKey,
  type ApiKeySettings,
  type AuthSettings,
  defaultTenant,
  type NoAuthSettings,
} from './auth/settings.ts';
export { createGateway, type Gateway, type GatewayParts, type GatewayStore } from './gateway.ts';
export { createLog, type LogSettings } from './observe/create-log.ts';
export { defaultGatewaySettings, type GatewaySettings } from './settings.ts';
