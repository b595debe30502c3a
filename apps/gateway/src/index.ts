export { createGateway, type Gateway, type GatewayParts, type GatewayStore } from './gateway.ts';
export {
  type ApiKey,
  type AuthSettings,
  defaultGatewaySettings,
  defaultTenant,
  type GatewaySettings,
} from './settings/gateway-settings.ts';
export { createLog, type LogSettings } from './telemetry/emit.ts';
