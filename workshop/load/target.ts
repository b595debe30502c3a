import { BlockList, isIP } from 'node:net';
import { A2AError, type AgentCard, type AgentInterface } from '@switchyard/protocol';
import { parseAgentCard } from '@switchyard/protocol/parse-agent-card';
import { startOwnSystem } from '../system.ts';

/** The agent that a target leads to, and how it is spoken to. */
export interface FoundAgent {
  readonly name: string;
  readonly endpoint: URL;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly tenant: AgentInterface['tenant'];
  /** Sent with every request: names and values in turn. */
  readonly headers: readonly string[];
}

/** The run cannot begin; the message says what to do. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}

const CARD_WITHIN_MS = 10_000;
const bindings = { jsonrpc: 'JSONRPC', rest: 'HTTP+JSON' } as const;

/** What is to be put under load, and how. */
export interface Search {
  /** Base URL of the gateway or agent, or the URL of its card, as it was given. */
  readonly url: URL;
  /** One of the agents of a gateway; unset: the one at its root. */
  readonly agent?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly bearer?: string | undefined;
  readonly allowHost?: string | undefined;
  readonly binding?: keyof typeof bindings | undefined;
  /** Whether polls need a version. */
  readonly wantsVersions: boolean;
}

/** Reads the agent card and chooses how to speak to the agent. Follows no redirects. @throws {TargetError} */
export async function findAgent(search: Search): Promise<FoundAgent> {
  requireAllowed(search.url, search.allowHost);
  const card = await readCard(search);
  const { url, tenant, protocolBinding } = choose(card, search);
  const endpoint = URL.parse(url);
  if (!endpoint) throw new TargetError(`The agent card names ${url} as its endpoint, which is no URL`);
  requireAllowed(endpoint, search.allowHost);
  const headers = ['a2a-version', '1.0', ...Object.entries(credentials(search, card)).flat()];
  // Shown on a terminal, where control characters have no business.
  const name = card.name.replace(/\p{Cc}+/gu, ' ');
  return { name, endpoint, binding: protocolBinding, tenant, headers };
}

/** As headers. The card may name the header of an API key (A2A 4.5.2). */
function credentials({ apiKey, bearer }: Search, card?: AgentCard): Record<string, string> {
  const schemes = Object.values(card?.securitySchemes ?? {});
  const named = schemes.map((scheme) => ('apiKeySecurityScheme' in scheme ? scheme.apiKeySecurityScheme : undefined));
  const keyHeader = named.find((scheme) => scheme?.location === 'header')?.name ?? 'X-API-Key';
  return {
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(apiKey !== undefined && { [keyHeader]: apiKey }),
  };
}

/** A2A 8.2; the path below the gateway is that of Switchyard. */
function cardUrl({ url, agent }: Search): string {
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  if (base.endsWith('.json')) return base;
  return `${base}${agent === undefined ? '' : `/agents/${agent}`}/.well-known/agent-card.json`;
}

async function readCard(search: Search): Promise<AgentCard> {
  const url = cardUrl(search);
  const request = {
    headers: credentials(search),
    redirect: 'error',
    signal: AbortSignal.timeout(CARD_WITHIN_MS),
  } as const;
  const response = await fetch(url, request).catch((error: unknown) => {
    throw new TargetError(`There is no agent card at ${url}: ${reasonOf(error)}`, { cause: error });
  });
  if (!response.ok) throw new TargetError(`There is no agent card at ${url}: it answers HTTP ${response.status}`);
  try {
    return parseAgentCard(await response.json());
  } catch (error) {
    const what = error instanceof A2AError ? error.message : 'it is no JSON';
    throw new TargetError(`What is at ${url} is not an agent card of A2A 1.0: ${what}`, { cause: error });
  }
}

/** fetch hides what went wrong in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause ? `${cause.code}` : cause.message;
  return error.message;
}

type Spoken = AgentInterface & { readonly protocolBinding: FoundAgent['binding'] };

/** The first that is spoken here, as the card prefers (A2A 4.4.6), unless something else is wanted. */
function choose({ supportedInterfaces }: AgentCard, { binding, wantsVersions }: Search): Spoken {
  const spoken = supportedInterfaces.filter(isSpoken);
  const wanted = binding ? bindings[binding] : wantsVersions ? bindings.rest : undefined;
  const chosen = spoken.find(({ protocolBinding }) => protocolBinding === wanted) ?? (binding ? undefined : spoken[0]);
  if (chosen) return chosen;
  const offered =
    supportedInterfaces.map((one) => `${one.protocolBinding} ${one.protocolVersion}`).join(', ') || 'nothing';
  throw new TargetError(
    `Spoken here: ${wanted ?? 'JSONRPC and HTTP+JSON'} of A2A 1.0. The agent card offers ${offered}`,
  );
}

function isSpoken(offered: AgentInterface): offered is Spoken {
  const { protocolBinding, protocolVersion } = offered;
  return ['JSONRPC', 'HTTP+JSON'].includes(protocolBinding) && /^1\./.test(protocolVersion);
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * A load test of a foreign server is an attack: only this machine, or the one named host is allowed. A card may name
 * another host, so its endpoint is checked, too.
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

/** A system of its own with the agent of load/agents, and its process ids by name. @throws {TargetError} */
export async function startOwnGateway(workers: number) {
  const agents = ['workshop/load/agents/load.ts'];
  const system = await startOwnSystem({ agents, workers, env: { DEFAULT_AGENT: 'load' } }).catch((error: unknown) => {
    const what = error instanceof Error ? error.message : String(error);
    const instead = 'Or load a gateway that runs, with --url';
    throw new TargetError(`The own gateway did not start: ${what}\n${instead}`, { cause: error });
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
