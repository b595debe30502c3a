import { createHash } from 'node:crypto';
import type { AgentCard } from '@switchyard/protocol';
import type { AnnouncedAgent } from '@switchyard/store';
import { LRUCache } from 'lru-cache';
import type { Authentication } from '../auth/authentication.ts';
import type { AgentEndpoint } from '../call/call.ts';
import { withGatewayExtensions } from '../call/extensions.ts';
import { withoutSlashAtEnd } from '../exchange/addresses.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import { buildCard } from './build-card.ts';
import { agentUrl, grpcAddress, jwksPath } from './endpoints.ts';
import { signCard } from './sign-card.ts';

export interface PresentedCard {
  readonly card: AgentCard;
  /** Of the unsigned card: every gateway has the same one, while signatures differ. */
  readonly digest: string;
}

/** Cached signed cards: more than a public and an extended one of each agent. */
const mostRemembered = 1_000;

/** The cards of agents for clients, signed if there are keys. */
export class Cards {
  readonly #parts: CardParts;
  readonly #signed = new LRUCache<string, Promise<AgentCard>>({ max: mostRemembered });

  constructor(parts: CardParts) {
    this.#parts = parts;
  }

  /** For everybody. */
  present(agent: AnnouncedAgent, endpoint: AgentEndpoint): Promise<PresentedCard> {
    return this.#finish(this.#build(agent, agent.card, endpoint));
  }

  /** For authenticated callers (A2A 3.1.11). */
  async presentExtended(agent: AnnouncedAgent, endpoint: AgentEndpoint): Promise<PresentedCard | undefined> {
    return agent.extendedCard && this.#finish(this.#build(agent, agent.extendedCard, endpoint));
  }

  /** Whether the agent has an extended card, or says that it has. Not without authentication (AUTH=none, A2A 13.3). */
  offersExtended({ card, extendedCard }: AnnouncedAgent): boolean {
    if (this.#parts.authenticator.securityRequirements.length === 0) return false;
    return extendedCard !== undefined || card.capabilities.extendedAgentCard === true;
  }

  #build(agent: AnnouncedAgent, card: AgentCard, { base, agentId }: AgentEndpoint): AgentCard {
    return buildCard(card, {
      url: agentUrl(base, agentId),
      grpcAddress: grpcAddress(this.#parts, base),
      grpcTenant: agentId,
      legacyV03: this.#parts.settings.legacyV03,
      preview: this.#parts.settings.preview,
      authenticator: this.#parts.authenticator,
      pushNotifications: this.#parts.settings.push !== undefined,
      extendedAgentCard: this.offersExtended(agent),
      extensions: withGatewayExtensions(agent, card.capabilities),
    });
  }

  async #finish(card: AgentCard): Promise<PresentedCard> {
    const json = JSON.stringify(card);
    const kids = this.#parts.settings.cardSigningKeys.map(({ kid }) => kid);
    const digest = createHash('sha256').update(json).update(kids.join()).digest('base64url');
    return { card: await this.#sign(card, json), digest };
  }

  /** Signs a card, cached: a signature takes up to a millisecond. */
  #sign(card: AgentCard, json: string): AgentCard | Promise<AgentCard> {
    const { cardSigningKeys: keys, publicUrl = '' } = this.#parts.settings;
    if (keys.length === 0) return card;
    const known = this.#signed.get(json);
    if (known) return known;
    const signed = signCard(card, keys, withoutSlashAtEnd(publicUrl) + jwksPath);
    this.#signed.set(json, signed);
    return signed;
  }
}

/** What cards are made of, besides the agent. */
export interface CardParts {
  readonly settings: Pick<GatewaySettings, 'grpc' | 'publicUrl' | 'cardSigningKeys' | 'push' | 'legacyV03' | 'preview'>;
  readonly authenticator: Authentication;
  readonly grpcPort: () => number | undefined;
}
