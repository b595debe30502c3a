import type { AgentCard } from '@switchyard/protocol';
import type { Authentication } from '../auth/authentication.ts';
import { type Endpoints, interfacesAt } from './endpoints.ts';

/** What the gateway adds to an announced card: URLs and security. */
export interface CardSurroundings extends Endpoints {
  readonly authenticator: Pick<Authentication, 'securitySchemes' | 'securityRequirements'>;
  /** Whether push notifications are on in this deployment. */
  readonly pushNotifications?: boolean;
  /** See `offersExtendedCard`. */
  readonly extendedAgentCard?: boolean;
}

/** The card for clients (A2A 4.4.1): the agent's, completed with what the gateway adds. */
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

/** Whether the agent streams: yes, unless its card says no. */
export function offersStreaming({ capabilities }: Pick<AgentCard, 'capabilities'>): boolean {
  return capabilities.streaming ?? true;
}

/** Whether the agent has push notifications: yes, unless its card says no. */
export function offersPush({ capabilities }: Pick<AgentCard, 'capabilities'>): boolean {
  return capabilities.pushNotifications ?? true;
}
