import type { AgentCard, AgentInterface, SecurityRequirement, SecurityScheme } from '@switchyard/protocol';
import { legacyVersion } from '../exchange/service-parameters.ts';

/**
 * A card for clients of both versions: the card of 1.0 with the fields of 0.3 (A2A 0.3, 5.5) added. Clients ignore
 * fields of the other version, also when they verify signatures, which cover the fields of 1.0.
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

/** The scheme as in OpenAPI, which 0.3 adopted. */
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
