import type { Principal } from '@switchyard/protocol';
import type { AnnouncedAgent, EventId, Scope } from '@switchyard/store';
import { selectAgent } from '../agents/agent-directory.ts';
import { type AgentEndpoint, type Call, endpointAt } from '../call/call.ts';
import {
  activeExtensions,
  parseExtensions,
  positionIn,
  requireSupportedVersion,
  type SpokenVersion,
  traceParentIn,
  versionIn,
  waitMsIn,
} from '../call/service-parameters.ts';
import { baseUrl } from '../exchange/base-url.ts';
import { type Exchange, namedVersion, pathPart, queryText } from '../exchange/exchange.ts';
import type { WaitingCalls } from '../limits/waiting-calls.ts';
import type { Reply, StreamItem } from '../operations/operation.ts';
import type { OperationName } from '../operations/operations.ts';
import type { GatewayContext } from './gateway-context.ts';

/** Who came in, and where to. */
export interface CallerContext {
  readonly principal: Principal;
  readonly agent: AnnouncedAgent;
  /** Where it was found. */
  readonly endpoint: () => AgentEndpoint;
  /** In which they speak. */
  readonly version: SpokenVersion | undefined;
}

/** A call that came by HTTP. Headers are read when an operation asks for what they say. */
export class HttpCall implements Call {
  readonly scope: Scope;
  readonly agent: AnnouncedAgent;
  readonly endpoint: () => AgentEndpoint;
  readonly version: SpokenVersion | undefined;
  readonly #exchange: Exchange;
  readonly #waiting: WaitingCalls;
  #signal: AbortSignal | undefined;

  constructor({ principal, agent, endpoint, version }: CallerContext, exchange: Exchange, waiting: WaitingCalls) {
    this.scope = { principal, agent: agent.id };
    this.agent = agent;
    this.endpoint = endpoint;
    this.version = version;
    this.#exchange = exchange;
    this.#waiting = waiting;
  }

  get extensions(): readonly string[] {
    // The second name is that of version 0.3.
    return parseExtensions(this.#header('a2a-extensions') ?? this.#header('x-a2a-extensions'));
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#waiting.watch(this.#exchange.res);
    return this.#signal;
  }

  /** Only GET is conditional (RFC 9110 13.1.2). */
  get knownVersion(): string | undefined {
    return this.#exchange.req.method === 'GET' ? versionIn(this.#header('if-none-match')) : undefined;
  }

  get waitMs(): number {
    return waitMsIn(this.#header('prefer'));
  }

  /**
   * An EventSource sends the header when it connects again; the query parameter is for those who cannot set headers.
   */
  get resumeAfter(): EventId | undefined {
    return (
      positionIn(this.#header('last-event-id'), 'Last-Event-ID') ??
      positionIn(queryText(this.#exchange.req, 'fromSeq'), 'fromSeq')
    );
  }

  get traceParent(): string | undefined {
    return traceParentIn(this.#header('traceparent'));
  }

  #header(name: string): string | undefined {
    const value = this.#exchange.req.headers[name];
    return typeof value === 'string' ? value : undefined;
  }
}

/** Who sends a request, and what it says of whom it is for. */
export interface Caller {
  readonly principal: Principal;
  /** `tenant` among the parameters, unchecked. */
  readonly tenant?: unknown;
  /** What the method or path that is asked for belongs to; unset: A2A 1.0. */
  readonly version?: SpokenVersion;
}

/**
 * From the request to the call: the version that it is in, and the agent that its path or its tenant names. The
 * response says from its first byte which extensions are active.
 * @throws {A2AError}
 */
export function openCall({ agents, settings, waiting }: GatewayContext, exchange: Exchange, caller: Caller): HttpCall {
  const { req } = exchange;
  const { principal, tenant, version } = caller;
  requireSupportedVersion(namedVersion(req), { spoken: version, missing: settings.missingVersion });
  const agentId = pathPart(req, 'agentId');
  const agent = selectAgent(agents, principal, { agentId, tenant });
  const endpoint = (): AgentEndpoint =>
    endpointAt(baseUrl(req, settings), agentId, { named: tenant, selected: agent.id });
  const call = new HttpCall({ principal, agent, endpoint, version }, exchange, waiting);
  const active = activeExtensions(call);
  if (active.length > 0) exchange.res.setHeader('A2A-Extensions', active.join(','));
  return call;
}

/** A stream that can begin. It has one of the slots until it is disposed of. */
export interface OpenStream extends Disposable {
  readonly items: AsyncIterable<StreamItem>;
}

export type Answer = { readonly reply: Reply } | OpenStream;

/**
 * Runs an operation up to its answer. Of what was asked, which may be large, nothing is needed to write that.
 * @throws {A2AError}
 */
export async function runOperation(
  { operations, streams }: Pick<GatewayContext, 'operations' | 'streams'>,
  name: OperationName,
  { call, params }: { readonly call: Call; readonly params: unknown },
): Promise<Answer> {
  const operation = operations[name];
  if (operation.kind === 'unary') return { reply: await operation.invoke(call, params) };
  const slot = streams.take();
  try {
    const items = await operation.invoke(call, params);
    return { items, [Symbol.dispose]: () => slot[Symbol.dispose]() };
  } catch (error) {
    slot[Symbol.dispose]();
    throw error;
  }
}
