import type { AgentCard } from '@switchyard/protocol';
import type { Authenticator } from '../auth/authenticator.ts';
import { type Endpoints, interfacesAt } from './endpoints.ts';

/** What an announced card lacks: where the agent is reached, and who is let in. */
export interface CardSurroundings extends Endpoints {
  readonly authenticator: Pick<Authenticator, 'securitySchemes' | 'securityRequirements'>;
  /** Whether push notifications are on in this deployment. */
  readonly pushNotifications?: boolean;
  /** See `offersExtendedCard`. */
  readonly extendedAgentCard?: boolean;
}

/** The card as clients get it (A2A 4.4.1): what the agent says of itself, completed by what the gateway does for it. */
export function buildCard(announced: AgentCard, surroundings: CardSurroundings): AgentCard {
  const { securitySchemes, securityRequirements } = surroundings.authenticator;
  const { signatures: _notOfThisCard, ...card } = announced;
  return {
    ...card,
    supportedInterfaces: interfacesAt(surroundings),
    capabilities: {
      ...card.capabilities,
      streaming: offersStreaming(card),
      pushNotifications: surroundings.pushNotifications === true && offersPush(card),
      extendedAgentCard: surroundings.extendedAgentCard ?? false,
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

/** So it is with push notifications. */
export function offersPush({ capabilities }: Pick<AgentCard, 'capabilities'>): boolean {
  return capabilities.pushNotifications ?? true;
}
