import type { TraceContext } from '@switchyard/protocol';
import type { AnnouncedAgent, Scope } from '@switchyard/store';
import { traceContextIn } from '@switchyard/telemetry';
import type { Admission } from '../admission/admission.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { type AgentEndpoint, type Call, endpointAt } from '../call/call.ts';
import { offeredExtensions } from '../call/extensions.ts';
import { baseUrl } from '../exchange/addresses.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** An admitted MCP request. */
export interface McpRequest {
  readonly exchange: Exchange;
  readonly admission: Admission;
}

export interface CalledAgent {
  readonly agent: AnnouncedAgent;
  readonly waitMs?: number;
  /** Those that the client uses. */
  readonly extensions?: readonly string[];
}

/** The call of a tool, as the call of an A2A operation. */
export class McpCall implements Call {
  readonly admission: Admission;
  readonly scope: Scope;
  readonly agent: AnnouncedAgent;
  readonly extensions: readonly string[];
  readonly activeExtensions: readonly string[];
  readonly waitMs: number;
  /** Models see a picture, and not a URL that only their user may read. */
  readonly readsNoUrls = true;
  readonly #exchange: Exchange;
  readonly #context: GatewayContext;
  #signal: AbortSignal | undefined;

  constructor(
    context: GatewayContext,
    { exchange, admission }: McpRequest,
    { agent, waitMs = 0, extensions = [] }: CalledAgent,
  ) {
    this.admission = admission;
    this.scope = { principal: admission.principal, agent: agent.id };
    this.agent = agent;
    this.extensions = extensions;
    this.activeExtensions = offeredExtensions({ agent, extensions, hasFiles: context.files !== undefined });
    this.waitMs = waitMs;
    this.#exchange = exchange;
    this.#context = context;
  }

  endpoint(): AgentEndpoint {
    const base = baseUrl(this.#exchange.req, this.#context.settings);
    return endpointAt(base, this.agent.id, { named: undefined, selected: this.agent.id });
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#context.heldRequests.watch(this.#exchange.res, this.admission);
    return this.#signal;
  }

  get traceContext(): TraceContext | undefined {
    const { traceparent, tracestate } = this.#exchange.req.headers;
    return traceContextIn(traceparent, tracestate);
  }
}
