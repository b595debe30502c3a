import type { AgentCard, AgentInterface } from '@switchyard/protocol';
import type { Authenticator } from '../auth/authenticator.ts';

/** What an announced card lacks: where the agent is reached, and who is let in. */
export interface CardSurroundings {
  /** Base URL of the agent, without a slash at its end. */
  readonly url: string;
  readonly authenticator: Pick<Authenticator, 'securitySchemes' | 'securityRequirements'>;
}

/** The card as clients get it (A2A 4.4.1): what the agent says of itself, completed by what the gateway does for it. */
export function buildCard(announced: AgentCard, { url, authenticator }: CardSurroundings): AgentCard {
  const { securitySchemes, securityRequirements } = authenticator;
  const { signatures: _notOfThisCard, ...card } = announced;
  return {
    ...card,
    supportedInterfaces: interfacesAt(url),
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

function interfacesAt(url: string): AgentInterface[] {
  return ['JSONRPC', 'HTTP+JSON'].map((protocolBinding) => ({ url, protocolBinding, protocolVersion: '1.0' }));
}
