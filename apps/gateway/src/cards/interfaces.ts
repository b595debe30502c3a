import type { AgentInterface } from '@switchyard/protocol';

/** What is served, and where. */
export interface Endpoints {
  /** Base URL of the agent, without a slash at its end. */
  readonly url: string;
  /** `host:port` of the gRPC binding, if it is served. */
  readonly grpcAddress?: string | undefined;
  /** What gRPC requests name the agent by, having no path; unset: the agent at the root, which needs no name. */
  readonly grpcTenant?: string | undefined;
}

/** One entry for each binding, the one that most clients speak first: the order is that of preference (A2A 4.4.6). */
export function interfacesAt({ url, grpcAddress, grpcTenant }: Endpoints): AgentInterface[] {
  const protocolVersion = '1.0';
  const overHttp = ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({ url, protocolBinding, protocolVersion }));
  if (grpcAddress === undefined) return overHttp;
  const overGrpc = { url: grpcAddress, protocolBinding: 'GRPC', protocolVersion };
  return [...overHttp, grpcTenant === undefined ? overGrpc : { ...overGrpc, tenant: grpcTenant }];
}
