import type { AgentInterface } from '@switchyard/protocol';
import { legacyVersion, previewVersion, protocolVersion, type SpokenVersion } from '../exchange/service-parameters.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';

/** Where an agent is served. */
export interface Endpoints {
  /** Base URL of the agent, without a slash at the end. */
  readonly url: string;
  /** `host:port` of the gRPC binding, if it is served. */
  readonly grpcAddress?: string | undefined;
  /** The tenant that names the agent in gRPC requests; unset at the root, which is the default agent's. */
  readonly grpcTenant?: string | undefined;
  /** Whether requests without a tenant go to this agent. */
  readonly isDefault?: boolean;
  /** Whether version 0.3 is served. */
  readonly legacyV03?: boolean;
  /** Whether version 1.1 is served. */
  readonly preview?: boolean;
}

/** One entry per binding and version, in order of preference (A2A 4.4.6): clients take the first that they support. */
export function interfacesAt(endpoints: Endpoints): AgentInterface[] {
  const versions: SpokenVersion[] = [protocolVersion];
  if (endpoints.preview) versions.push(previewVersion);
  if (endpoints.legacyV03) versions.push(legacyVersion);
  return versions.flatMap((version) => speaking(version, endpoints));
}

function speaking(version: SpokenVersion, endpoints: Endpoints): AgentInterface[] {
  const { url, grpcAddress, grpcTenant: tenant, isDefault = false } = endpoints;
  const rest = { protocolVersion: version };
  const overHttp = ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({ url, protocolBinding, ...rest }));
  if (grpcAddress === undefined) return overHttp;
  const overGrpc = { url: grpcAddress, protocolBinding: 'GRPC', ...rest };
  if (tenant === undefined) return [...overHttp, overGrpc];
  if (version !== legacyVersion) return [...overHttp, { ...overGrpc, tenant }];
  // Requests of version 0.3 have no tenant: they only reach the default agent.
  return isDefault ? [...overHttp, overGrpc] : overHttp;
}

/** Base URL of an agent. @param id unset: the default agent */
export function agentUrl(base: string, id: string | undefined): string {
  return id === undefined ? base : `${base}/agents/${id}`;
}

/** Path of an agent's card, below its base URL (A2A 8.2). */
export const cardPath = '/.well-known/agent-card.json';

/** Its path before A2A 0.3. */
export const oldCardPath = '/.well-known/agent.json';

/** Path of the public keys, below the base URL of the gateway. */
export const jwksPath = '/.well-known/jwks.json';

/**
 * `host:port` of the gRPC binding for clients, if cards name it. By default they do not: google-adk refuses a card with
 * another address than its origin, and every gRPC client needs `host:port`.
 */
export function grpcAddress(
  {
    settings,
    grpcPort,
  }: { readonly settings: Pick<GatewaySettings, 'grpc'>; readonly grpcPort: () => number | undefined },
  base: string,
): string | undefined {
  const [port, address] = [grpcPort(), settings.grpc?.publicAddress];
  if (port === undefined) return undefined;
  return address === 'auto' ? `${new URL(base).hostname}:${port}` : address;
}
