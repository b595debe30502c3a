import type { AgentCard, AgentInterface } from '@switchyard/protocol';
import type { Authenticator } from '../auth/authenticator.ts';

/** What an announced card lacks: where the agent is reached, and who is let in. */
export interface CardSurroundings {
  /** Base URL of the agent, without a slash at its end. */
  readonly url: string;
  /** `host:port` of the gRPC binding, if it is served. */
  readonly grpcAddress?: string | undefined;
  /** What gRPC requests name the agent by; unset: the agent at the root, which needs no name. */
  readonly grpcTenant?: string | undefined;
  readonly authenticator: Pick<Authenticator, 'securitySchemes' | 'securityRequirements'>;
}

/** The card as clients get it (A2A 4.4.1): what the agent says of itself, completed by what the gateway does for it. */
export function buildCard(announced: AgentCard, surroundings: CardSurroundings): AgentCard {
  const { securitySchemes, securityRequirements } = surroundings.authenticator;
  const { signatures: _notOfThisCard, ...card } = announced;
  return {
    ...card,
    supportedInterfaces: interfacesOf(surroundings),
    capabilities: {
      ...card.capabilities,
      streaming: offersStreaming(card),
      pushNotifications: false,
      extendedAgentCard: false,
    },
    ...(securityRequirements.length > 0 && {
      securitySchemes: { ...securitySchemes },
      securityRequirements: [...securityRequirements],
    }),
  };
}

/** The gateway streams for every agent, unless the agent's card says that it does not want to. */
export function offersStreaming({ capabilities }: Pick<AgentCard, 'capabilities'>): boolean {
  return capabilities.streaming ?? true;
}

function interfacesOf({ url, grpcAddress, grpcTenant }: CardSurroundings): AgentInterface[] {
  const overHttp = ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({
    url,
    protocolBinding,
    protocolVersion: '1.0',
  }));
  if (grpcAddress === undefined) return overHttp;
  const overGrpc = { url: grpcAddress, protocolBinding: 'GRPC', protocolVersion: '1.0' };
  return [...overHttp, grpcTenant === undefined ? overGrpc : { ...overGrpc, tenant: grpcTenant }];
}
