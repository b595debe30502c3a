import { createHash } from 'node:crypto';
import type { AgentCard, AgentCardSignature } from '@switchyard/protocol';
import type { SigningKey } from '@switchyard/settings';
import { signedForms } from '@switchyard/signatures';
import type { AnnouncedAgent } from '@switchyard/store';
import { FlattenedSign } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Authentication } from '../auth/authentication.ts';
import type { AgentEndpoint } from '../call/call.ts';
import { withGatewayExtensions } from '../call/extensions.ts';
import { withoutSlashAtEnd } from '../exchange/addresses.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import { buildCard } from './build-card.ts';
import { agentUrl, grpcAddress, jwksPath } from './endpoints.ts';

export interface ServedCard {
  readonly card: AgentCard;
  /** Hash of the unsigned card: the same at every gateway, while signatures differ. */
  readonly digest: string;
}

/** Maximum number of cached signed cards: enough for the public and the extended card of each agent. */
const maxRemembered = 1_000;

/** Agents' cards for clients, signed if there are keys. */
export class Cards {
  readonly #dependencies: CardDependencies;
  readonly #signed = new LRUCache<string, Promise<AgentCard>>({ max: maxRemembered });

  constructor(dependencies: CardDependencies) {
    this.#dependencies = dependencies;
  }

  /** The public card. */
  cardFor(agent: AnnouncedAgent, endpoint: AgentEndpoint): Promise<ServedCard> {
    return this.#finish(this.#build(agent, agent.card, endpoint));
  }

  /** The extended card, for authenticated callers (A2A 3.1.11). */
  async extendedCardFor(agent: AnnouncedAgent, endpoint: AgentEndpoint): Promise<ServedCard | undefined> {
    return agent.extendedCard && this.#finish(this.#build(agent, agent.extendedCard, endpoint));
  }

  /** Whether the agent has or declares an extended card. Never without authentication (A2A 13.3). */
  offersExtended({ card, extendedCard }: AnnouncedAgent): boolean {
    if (this.#dependencies.authenticator.securityRequirements.length === 0) return false;
    return extendedCard !== undefined || card.capabilities.extendedAgentCard === true;
  }

  #build(agent: AnnouncedAgent, card: AgentCard, { base, agentId }: AgentEndpoint): AgentCard {
    const { files } = this.#dependencies.settings;
    const offer = files && { url: `${base}/files`, maxFileBytes: files.maxFileBytes };
    return buildCard(card, {
      url: agentUrl(base, agentId),
      grpcAddress: grpcAddress(this.#dependencies, base),
      grpcTenant: agentId,
      isDefault: this.#dependencies.isDefault?.(agent.id) ?? false,
      legacyV03: this.#dependencies.settings.legacyV03,
      preview: this.#dependencies.settings.preview,
      authenticator: this.#dependencies.authenticator,
      pushNotifications: this.#dependencies.settings.push !== undefined,
      extendedAgentCard: this.offersExtended(agent),
      extensions: withGatewayExtensions(agent, card.capabilities, offer),
    });
  }

  async #finish(card: AgentCard): Promise<ServedCard> {
    const json = JSON.stringify(card);
    const kids = this.#dependencies.settings.cardSigningKeys.map(({ kid }) => kid);
    const digest = createHash('sha256').update(json).update(kids.join()).digest('base64url');
    return { card: await this.#sign(card, json), digest };
  }

  /** Signs a card. Cached, because a signature takes up to a millisecond. */
  #sign(card: AgentCard, json: string): AgentCard | Promise<AgentCard> {
    const { cardSigningKeys: keys, publicUrl = '' } = this.#dependencies.settings;
    if (keys.length === 0) return card;
    const known = this.#signed.get(json);
    if (known) return known;
    const signed = signCard(card, keys, withoutSlashAtEnd(publicUrl) + jwksPath);
    this.#signed.set(json, signed);
    return signed;
  }
}

/** The inputs of a card, besides the agent. */
export interface CardDependencies {
  readonly settings: Pick<
    GatewaySettings,
    'grpc' | 'publicUrl' | 'cardSigningKeys' | 'push' | 'files' | 'legacyV03' | 'preview'
  >;
  readonly authenticator: Authentication;
  readonly grpcPort: () => number | undefined;
  /** Whether it is the agent at the root. Unset: no agent is. */
  readonly isDefault?: (agentId: string) => boolean;
}

/**
 * Signs the card with each key (A2A 8.4): in the canonical form of the specification, and also in that of the published
 * SDKs if it differs. A verifier needs one valid signature.
 * @param jwksUrl URL of the public keys
 */
async function signCard(card: AgentCard, keys: readonly SigningKey[], jwksUrl: string): Promise<AgentCard> {
  const { exact, lean } = signedForms(card);
  const payloads = exact === lean ? [exact] : [exact, lean];
  const signatures = payloads.flatMap((payload) => keys.map((key) => sign(payload, key, jwksUrl)));
  return { ...card, signatures: await Promise.all(signatures) };
}

async function sign(payload: string, key: SigningKey, jku: string): Promise<AgentCardSignature> {
  const { protected: header = '', signature } = await new FlattenedSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg: key.algorithm, typ: 'JOSE', kid: key.kid, jku })
    .sign(key.privateKey);
  return { protected: header, signature };
}

/**
 * Without a public URL a card has the Host of its request, and a signature would confirm any host.
 * @returns the problem and its remedy, to follow "PUBLIC_URL"; undefined if there is none
 */
export function missingPublicUrlProblem(settings: {
  readonly publicUrl?: string | undefined;
  readonly cardSigningKeys: readonly SigningKey[];
}): string | undefined {
  if (settings.cardSigningKeys.length === 0 || settings.publicUrl !== undefined) return undefined;
  return 'is required for signing agent cards: without it a card has the Host of its request';
}
