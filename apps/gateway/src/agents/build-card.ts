import type { AgentCard, AgentExtension, SecurityRequirement } from '@switchyard/protocol';
import { alternativesOf } from '../admission/scopes.ts';
import type { Authentication } from '../auth/authentication.ts';
import { type Endpoints, interfacesAt } from './endpoints.ts';

/** What the gateway adds to an announced card: URLs and security. */
export interface CardContext extends Endpoints {
  readonly authenticator: Pick<Authentication, 'securitySchemes' | 'securityRequirements'>;
  /** Whether push notifications are on in this deployment. */
  readonly pushNotifications?: boolean;
  /** See `offersExtendedCard`. */
  readonly extendedAgentCard?: boolean;
  /** The agent's and the gateway's extensions; unset: only the agent's. */
  readonly extensions?: AgentExtension[];
}

/** The card for clients (A2A 4.4.1): the agent's card with the gateway's additions. */
export function buildCard(announced: AgentCard, context: CardContext): AgentCard {
  const { securitySchemes, securityRequirements } = context.authenticator;
  const { signatures: _notOfThisCard, securitySchemes: _, securityRequirements: needed, ...card } = announced;
  const withScopes = (asked: readonly SecurityRequirement[]) => requirementsFor(securityRequirements, asked);
  return {
    ...card,
    supportedInterfaces: interfacesAt(context),
    capabilities: {
      ...card.capabilities,
      streaming: offersStreaming(card),
      pushNotifications: context.pushNotifications === true && offersPush(card),
      extendedAgentCard: context.extendedAgentCard ?? false,
      ...(context.extensions && { extensions: context.extensions }),
    },
    skills: card.skills.map(({ securityRequirements: ofSkill, ...skill }) => ({
      ...skill,
      ...(ofSkill && securityRequirements.length > 0 && { securityRequirements: withScopes(ofSkill) }),
    })),
    ...(securityRequirements.length > 0 && {
      securitySchemes: { ...securitySchemes },
      securityRequirements: withScopes(needed ?? []),
    }),
  };
}

/** Each accepted scheme, with the scopes of each alternative in the agent's card. */
function requirementsFor(
  ways: readonly SecurityRequirement[],
  asked: readonly SecurityRequirement[],
): SecurityRequirement[] {
  const alternatives = asked.length > 0 ? alternativesOf(asked) : [[]];
  return alternatives.flatMap((scopes) =>
    ways.map(({ schemes = {} }) => ({
      schemes: Object.fromEntries(Object.keys(schemes).map((name) => [name, { list: [...scopes] }])),
    })),
  );
}

/** Whether the agent streams: true unless its card says no. */
export function offersStreaming({ capabilities }: Pick<AgentCard, 'capabilities'>): boolean {
  return capabilities.streaming ?? true;
}

/** Whether the agent has push notifications: true unless its card says no. */
export function offersPush({ capabilities }: Pick<AgentCard, 'capabilities'>): boolean {
  return capabilities.pushNotifications ?? true;
}
