import type { AgentCard, AgentInterface, SecurityRequirement, SecurityScheme } from '@switchyard/protocol';
import { legacyVersion } from '../call/service-parameters.ts';

/**
 * A card for readers that may know version 0.3 only: the card of 1.0, and beside its fields those of 0.3
 * (A2A 0.3, 5.5). Readers of either version find what they look for and pass over the rest: so do those that verify its
 * signatures, which are of what 1.0 knows.
 */
export function withLegacyFields(card: AgentCard): Record<string, unknown> {
  const [first, ...others] = card.supportedInterfaces.filter(isLegacy);
  return {
    ...card,
    protocolVersion: '0.3.0',
    url: first?.url,
    preferredTransport: first?.protocolBinding,
    additionalInterfaces: [first, ...others].map((each) => ({ url: each?.url, transport: each?.protocolBinding })),
    supportsAuthenticatedExtendedCard: card.capabilities.extendedAgentCard ?? false,
    ...(card.securitySchemes && { securitySchemes: mapValues(card.securitySchemes, withLegacyScheme) }),
    ...(card.securityRequirements && { security: card.securityRequirements.map(toLegacyRequirement) }),
  };
}

function isLegacy({ protocolVersion }: AgentInterface): boolean {
  return protocolVersion === legacyVersion;
}

/** OpenAPI's way of describing a scheme, which 0.3 took over. */
function withLegacyScheme(scheme: SecurityScheme): Record<string, unknown> {
  return { ...scheme, ...toLegacyScheme(scheme) };
}

function toLegacyScheme(scheme: SecurityScheme): Record<string, unknown> {
  if (scheme.apiKeySecurityScheme) {
    const { location, ...rest } = scheme.apiKeySecurityScheme;
    return { type: 'apiKey', in: location, ...rest };
  }
  if (scheme.httpAuthSecurityScheme) return { type: 'http', ...scheme.httpAuthSecurityScheme };
  if (scheme.oauth2SecurityScheme) return { type: 'oauth2', ...scheme.oauth2SecurityScheme };
  if (scheme.openIdConnectSecurityScheme) return { type: 'openIdConnect', ...scheme.openIdConnectSecurityScheme };
  return { type: 'mutualTLS' };
}

function toLegacyRequirement({ schemes = {} }: SecurityRequirement): Record<string, readonly string[]> {
  return mapValues(schemes, ({ list = [] }) => list);
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
