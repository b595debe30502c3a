import { BlockList, isIP } from 'node:net';
import { CommandFailure, chooseInterface, credentialsFor, readCard, wireFetch } from '@switchyard/cli/agent';
import { startOwnSystem } from '../system.ts';

/** The agent of a target, and how it is called. */
export interface FoundAgent {
  readonly name: string;
  readonly endpoint: URL;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly tenant: string | undefined;
  /** Headers of every request: names and values, alternating. */
  readonly headers: readonly string[];
}

/** The run cannot start; the message says what to do. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}

const CARD_WITHIN_MS = 10_000;
const bindings = { jsonrpc: 'JSONRPC', rest: 'HTTP+JSON' } as const;

/** What is to be put under load, and how. */
export interface Search {
  /** URL of the gateway, the agent or its card, as given. */
  readonly url: URL;
  /** Id of an agent of the gateway; unset: the one at its root. */
  readonly agent?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly bearer?: string | undefined;
  readonly allowHost?: string | undefined;
  readonly binding?: keyof typeof bindings | undefined;
  /** Whether polls need a version. */
  readonly wantsVersions: boolean;
}

/** Reads the agent card and chooses a binding. Follows no redirects. @throws {TargetError} */
export async function findAgent(search: Search): Promise<FoundAgent> {
  requireAllowed(search.url, search.allowHost);
  const { name, url, binding, tenant, headers } = await choose(search).catch((error: unknown) => {
    throw error instanceof CommandFailure ? new TargetError(error.message, { cause: error }) : error;
  });
  const endpoint = URL.parse(url);
  if (!endpoint) throw new TargetError(`The agent card names ${url} as its endpoint, which is no URL`);
  requireAllowed(endpoint, search.allowHost);
  // The name is printed on a terminal, so control characters are removed.
  return { name: name.replace(/\p{Cc}+/gu, ' '), endpoint, binding, tenant, headers };
}

/** The first supported interface in the order of the card (A2A 4.4.6), or the requested binding. */
async function choose({ binding: only, wantsVersions, ...search }: Search) {
  const given = { apiKey: search.apiKey, bearer: search.bearer };
  const { headers, secrets } = credentialsFor({ name: '' }, given);
  const ask = wireFetch({ secrets, hasCredentials: secrets.length > 0 });
  const signal = AbortSignal.timeout(CARD_WITHIN_MS);
  const { card } = await readCard(cardUrl(search), '1.0', (url) => ask(url, { headers, redirect: 'error', signal }));
  const supportedInterfaces = card.supportedInterfaces?.filter(({ protocolBinding }) => protocolBinding !== 'GRPC');
  const wanted = bindings[only ?? (wantsVersions ? 'rest' : 'jsonrpc')];
  const prefer = only || wantsVersions ? [wanted] : [];
  const { url, binding, tenant } = chooseInterface({ ...card, supportedInterfaces }, { prefer, version: undefined });
  if (binding === 'GRPC' || (only && binding !== wanted))
    throw new TargetError(`The agent card offers ${binding}, and not ${wanted}`);
  const all = { 'a2a-version': '1.0', ...credentialsFor(card, given).headers };
  return { name: card.name, url, binding, tenant, headers: Object.entries(all).flat() };
}

/** A2A 8.2; paths of agents at a gateway are Switchyard's. */
function cardUrl({ url, agent }: Pick<Search, 'url' | 'agent'>): string {
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  if (base.endsWith('.json')) return base;
  return `${base}${agent === undefined ? '' : `/agents/${agent}`}/.well-known/agent-card.json`;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * A load test of another machine is an attack: only this machine, or the explicitly named host is allowed. A card can
 * name another host, so its endpoint is checked, too.
 * @throws {TargetError}
 */
export function requireAllowed({ hostname }: URL, allowedHost: string | undefined): void {
  if (isLoopback(hostname) || hostname === allowedHost) return;
  throw new TargetError(
    `${hostname} is not this machine. If you may put it under load, say so: --allow-host ${hostname}` +
      (allowedHost === undefined ? '' : ` (you allowed ${allowedHost})`),
  );
}

function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  if (family === 0) return address === 'localhost' || address.endsWith('.localhost');
  return loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Starts our own system with the agent of load/agents. @throws {TargetError} */
export async function startOwnGateway(workers: number) {
  const agents = ['workshop/load/agents/load.ts'];
  const system = await startOwnSystem({ agents, workers, env: { DEFAULT_AGENT: 'load' } }).catch((error: unknown) => {
    const what = error instanceof Error ? error.message : String(error);
    const instead = 'Or load a gateway that runs, with --url';
    throw new TargetError(`The gateway did not start: ${what}\n${instead}`, { cause: error });
  });
  const { redis, stack, gateway } = system;
  const named = stack.workers.map(({ pid }, i) => [workers === 1 ? 'worker' : `worker ${i + 1}`, pid]);
  const pids: Record<string, number> = {
    ...(redis.pid && { redis: redis.pid }),
    gateway: gateway.pid,
    ...Object.fromEntries(named),
  };
  return { url: new URL(gateway.url), pids, [Symbol.asyncDispose]: () => system[Symbol.asyncDispose]() };
}
