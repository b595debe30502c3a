import type { AgentInterface } from '@switchyard/protocol';
import { legacyVersion, previewVersion, protocolVersion, type SpokenVersion } from '../exchange/service-parameters.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';

/** Where an agent is served. */
export interface Endpoints {
  /** Base URL of the agent, without a slash at its end. */
  readonly url: string;
  /** `host:port` of the gRPC binding, if it is served. */
  readonly grpcAddress?: string | undefined;
  /** The tenant that names the agent in gRPC requests; unset for the agent at the root. */
  readonly grpcTenant?: string | undefined;
  /** Whether version 0.3 is served, too. */
  readonly legacyV03?: boolean;
  /** Whether version 1.1 is served, too. */
  readonly preview?: boolean;
}

/** One entry per binding and version, in order of preference (A2A 4.4.6): clients take the first that they support. */
export function interfacesAt(endpoints: Endpoints): AgentInterface[] {
  const versions: SpokenVersion[] = [protocolVersion];
  if (endpoints.preview) versions.push(previewVersion);
  if (endpoints.legacyV03) versions.push(legacyVersion);
  return versions.flatMap((version) => speaking(version, endpoints));
}

function speaking(version: SpokenVersion, { url, grpcAddress, grpcTenant: tenant }: Endpoints): AgentInterface[] {
  const rest = { protocolVersion: version };
  const overHttp = ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({ url, protocolBinding, ...rest }));
  if (grpcAddress === undefined) return overHttp;
  const overGrpc = { url: grpcAddress, protocolBinding: 'GRPC', ...rest };
  if (tenant === undefined) return [...overHttp, overGrpc];
  // In version 0.3 requests have no tenant: an agent that needs one cannot be reached.
  return version === legacyVersion ? overHttp : [...overHttp, { ...overGrpc, tenant }];
}

/** Base URL of an agent. @param id unset: the agent at the root */
export function agentUrl(base: string, id: string | undefined): string {
  return id === undefined ? base : `${base}/agents/${id}`;
}

/** Path of an agent's card, below its base URL (A2A 8.2). */
export const cardPath = '/.well-known/agent-card.json';

/** Path of the public keys, below the base URL of the gateway. */
export const jwksPath = '/.well-known/jwks.json';

/**
 * `host:port` where clients reach the gRPC binding, if cards name it: google-adk refuses a card with any address beside
 * the origin it came from, and every gRPC client wants `host:port`.
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
