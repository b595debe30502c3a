import { AgentCard as SdkCard } from '@a2a-js/sdk';
import {
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  TenantTransportDecorator,
  type Transport,
} from '@a2a-js/sdk/client';
import { resumableStreamsUri } from '@switchyard/protocol';
import type { CliOptions } from '../settings/options.ts';
import { Agent } from './agent.ts';
import { type Card, type ReadCard, readCard } from './card.ts';
import { type ChosenInterface, chooseInterface, newestVersion } from './choose-interface.ts';
import { credentialsFor } from './credentials.ts';
import { offers, type ServiceParameters, withExtension } from './extensions.ts';
import type { TokenSource } from './token-source.ts';
import { redacted, wireFetch } from './wire.ts';

export interface CallContext {
  readonly options: CliOptions;
  /** The log of `--debug`. */
  readonly log: (line: string) => void;
  /** Aborted by a timeout or Ctrl-C, with the reason. */
  readonly signal: AbortSignal;
  /** Rejects if the credentials were not given for the origin of this URL. */
  readonly permit: (url: string) => Promise<void>;
  /** The login that is kept for the origin of this URL, unless the options have a credential. */
  readonly login: (url: string) => Promise<TokenSource | undefined>;
}

/**
 * The card that the options name, read without credentials: they belong to the agent, not to the server of its card.
 */
export function fetchCard({ options, log, signal }: CallContext): Promise<ReadCard> {
  const send = wireFetch({ secrets: [], log: options.debug ? log : undefined, hasCredentials: false });
  return readCard(options.agentCard, options.a2aVersion ?? newestVersion, (url, init) =>
    send(url, { ...init, signal }),
  );
}

/** The agent that the options name, over the binding that card and options determine. @throws {CommandFailure} */
export async function connect(context: CallContext): Promise<Agent> {
  const { card } = await fetchCard(context);
  return agentOf(card, context);
}

async function agentOf(card: Card, { options, log, signal, permit, login: loginFor }: CallContext): Promise<Agent> {
  const chosenCard = options.a2aVersion?.startsWith('0.') ? modernCard(card) : card;
  const chosen = chooseInterface(chosenCard, { prefer: options.transport, version: options.a2aVersion });
  await permit(chosen.url);
  const login = await loginFor(chosen.url);
  const { headers, query, secrets } = credentialsFor(card, options);
  const parameters = Object.fromEntries(options.svcParam ?? []);
  const token = await login?.current();
  const allSecrets = [...secrets, ...Object.values(parameters), ...(token === undefined ? [] : [token])];
  const debug = options.debug ? (line: string) => log(redacted(line, allSecrets)) : undefined;
  debug?.(
    `${chosen.binding} at ${chosen.url}, A2A ${chosen.version}${chosen.tenant ? `, tenant ${chosen.tenant}` : ''}`,
  );
  const hasCredentials = secrets.length > 0 || login !== undefined;
  const fetchImpl = wireFetch({ secrets: allSecrets, log: debug, hasCredentials, query });
  const transport = await open(chosen, chosenCard, { fetchImpl, isInsecure: options.insecure, log: debug });
  return new Agent(card, chosen, {
    transport: chosen.tenant === undefined ? transport : new TenantTransportDecorator(transport, chosen.tenant),
    call: {
      signal,
      serviceParameters: { ...withEventIds(card, parameters), ...headers, 'A2A-Version': chosen.version },
    },
    hasCredentials,
    login,
    reference: options.agentCard,
  });
}

/** Requests event ids, for resuming a broken stream, if the agent supports them. */
function withEventIds(card: Card, parameters: ServiceParameters): ServiceParameters {
  return offers(card, resumableStreamsUri) ? withExtension(parameters, resumableStreamsUri) : parameters;
}

/** A card of version 0.3, in the format of 1.0. Many lack lists that the SDK requires, and that no command reads. */
function modernCard({ capabilities = {}, ...card }: Card): Card {
  const lists = { defaultInputModes: [], defaultOutputModes: [], skills: [] };
  const resolver = new DefaultAgentCardResolver({ legacyCompat: { enabled: true } });
  const normal = resolver.normalizeAgentCard({ ...card, capabilities, ...lists });
  return JSON.parse(JSON.stringify(normal));
}

interface ConnectOptions {
  readonly fetchImpl: typeof fetch;
  readonly isInsecure: boolean;
  readonly log: ((line: string) => void) | undefined;
}

/** The SDK reads the version from the card, so it gets a card with only this interface. */
async function open(chosen: ChosenInterface, card: Card, { fetchImpl, ...grpc }: ConnectOptions): Promise<Transport> {
  const { url, binding, version } = chosen;
  const supportedInterfaces = [{ url, protocolBinding: binding, protocolVersion: version }];
  const sdkCard = SdkCard.fromJSON({ ...card, supportedInterfaces });
  const options = { fetchImpl, legacyCompat: { enabled: true } };
  if (binding === 'JSONRPC') return new JsonRpcTransportFactory(options).create(url, sdkCard);
  if (binding === 'HTTP+JSON') return new RestTransportFactory(options).create(url, sdkCard);
  const { grpcFactory, grpcTarget, withLargeAnswers } = await import('./grpc.ts');
  return withLargeAnswers(await grpcFactory(url, grpc).create(grpcTarget(url), sdkCard), url, grpc);
}
