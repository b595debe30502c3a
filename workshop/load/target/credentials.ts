import type { AgentCard } from '@switchyard/protocol';

export interface Credentials {
  readonly apiKey?: string | undefined;
  readonly bearer?: string | undefined;
}

/** As headers, names and values in turn. The card may say which header an API key belongs into (A2A 4.5.2). */
export function authHeaders({ apiKey, bearer }: Credentials, card?: AgentCard): string[] {
  return [
    ...(bearer === undefined ? [] : ['authorization', `Bearer ${bearer}`]),
    ...(apiKey === undefined ? [] : [apiKeyHeader(card), apiKey]),
  ];
}

function apiKeyHeader(card: AgentCard | undefined): string {
  const schemes = Object.values(card?.securitySchemes ?? {});
  const named = schemes.map((scheme) => ('apiKeySecurityScheme' in scheme ? scheme.apiKeySecurityScheme : undefined));
  return named.find((scheme) => scheme?.location === 'header')?.name ?? 'X-API-Key';
}
