import { CommandFailure } from '../failures/failure.ts';
import type { Card } from './card.ts';
import { type CallContext, fetchCard } from './connect.ts';
import { type Credentials, credentialsFor, withBearer } from './credentials.ts';
import { wireFetch } from './wire.ts';
import { retriedWithToken } from './with-token.ts';

/** The HTTP paths of a Switchyard gateway beside those of A2A, with the credentials for its agents. */
export interface GatewayPaths {
  readonly base: string;
  /** @param path below the base @throws {CommandFailure} unreachable, or refused credentials */
  readonly get: (path: string, options?: { readonly isPublic?: boolean }) => Promise<Response>;
  /** `fetch` for URLs below the base, with the credentials instead of other headers. */
  readonly fetch: typeof fetch;
  /** A request for a path below the base, with the credentials besides its headers. */
  readonly request: (path: string, request: PathRequest) => Promise<Response>;
}

interface PathRequest extends Omit<RequestInit, 'headers'> {
  readonly headers: Readonly<Record<string, string>>;
}

type Address = Parameters<typeof fetch>[0];

type OwnHeaders = RequestInit & { readonly own?: Readonly<Record<string, string>> };

/** The gateway of the agent that the options name. @throws {CommandFailure} */
export async function openGateway(context: CallContext): Promise<GatewayPaths> {
  const { options, log, signal } = context;
  const { card } = await fetchCard(context);
  const base = baseOf(card);
  await context.permit(base);
  const login = await context.login(base);
  const given = credentialsFor(card, options);
  const debug = options.debug ? log : undefined;
  const open = wireFetch({ secrets: [], log: debug, hasCredentials: false });
  const asking = { accept: 'application/json', 'a2a-version': '1.0' };
  const ask = (url: Address, { own, ...init }: OwnHeaders, { headers, query, secrets }: Credentials) => {
    const send = wireFetch({
      secrets,
      log: debug,
      hasCredentials: secrets.length > 0,
      query,
      isFile: own !== undefined,
    });
    return send(url, { ...init, headers: { ...asking, ...own, ...headers }, signal, redirect: 'error' });
  };
  const send = (url: Address, init: OwnHeaders) =>
    login ? retriedWithToken(login, (token) => ask(url, init, withBearer(given, token))) : ask(url, init, given);
  const fetch: GatewayPaths['fetch'] = (url, init) => send(url, { ...init });
  const request: GatewayPaths['request'] = (path, { headers: own, ...init }) => send(base + path, { ...init, own });
  const get: GatewayPaths['get'] = (path, { isPublic = false } = {}) =>
    isPublic ? open(base + path, { headers: asking, signal }) : fetch(base + path);
  return { base, get, fetch, request };
}

/** The address below which a gateway has its agents: that of the card's HTTP interface, without the agent. */
function baseOf(card: Card): string {
  const http = card.supportedInterfaces?.find(({ protocolBinding }) => protocolBinding !== 'GRPC')?.url ?? card.url;
  if (http === undefined || !/^https?:\/\//.test(http))
    throw new CommandFailure('A2ACLI_ERR_CARD_INVALID', 'The agent has no address for HTTP');
  return http.replace(/\/agents\/[^/]+\/?$/, '').replace(/\/$/, '');
}
