import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TraceContext } from '@switchyard/protocol';
import type { AnnouncedAgent, EventId, Scope } from '@switchyard/store';
import { traceContextIn } from '@switchyard/telemetry';
import type { Admission } from '../admission/admission.ts';
import type { IncomingRequest } from '../admission/gate.ts';
import { agentOfCall } from '../agents/agent-directory.ts';
import { type AgentEndpoint, type Call, type CallerContext, endpointAt } from '../call/call.ts';
import { offeredExtensions, parseExtensions } from '../call/extensions.ts';
import type { HeldRequests } from '../call/held-requests.ts';
import { baseUrl, clientAddress, requestedHost } from '../exchange/addresses.ts';
import {
  certificateProblem,
  clientCertificate,
  disposeOnClose,
  type Exchange,
  namedVersion,
  pathPart,
  queryText,
  requestIdIn,
} from '../exchange/exchange.ts';
import type { BodyLimits } from '../exchange/read-json.ts';
import {
  eventIdOfMetadata,
  idempotencyKeyIn,
  lastEventIdIn,
  legacyVersion,
  previewVersion,
  requireSupportedVersion,
  type SpokenVersion,
  versionIn,
  waitMsIn,
} from '../exchange/service-parameters.ts';
import type { GatewayContext } from './gateway-context.ts';

/** A call over HTTP. Headers are parsed when an operation needs them. */
export class HttpCall implements Call {
  readonly admission: Admission;
  readonly scope: Scope;
  readonly agent: AnnouncedAgent;
  readonly endpoint: () => AgentEndpoint;
  readonly version: SpokenVersion | undefined;
  readonly extensions: readonly string[];
  readonly activeExtensions: readonly string[];
  readonly #lastEventId: unknown;
  readonly #exchange: Exchange;
  readonly #heldRequests: HeldRequests;
  #signal: AbortSignal | undefined;

  constructor(caller: CallerContext, exchange: Exchange, heldRequests: HeldRequests) {
    const { admission, agent, endpoint, version, hasFiles, lastEventId } = caller;
    this.admission = admission;
    this.scope = { principal: admission.principal, agent: agent.id };
    this.agent = agent;
    this.endpoint = endpoint;
    this.version = version;
    this.#lastEventId = lastEventId;
    this.#exchange = exchange;
    this.#heldRequests = heldRequests;
    // The second name is from version 0.3.
    this.extensions = parseExtensions(this.#header('a2a-extensions') ?? this.#header('x-a2a-extensions'));
    this.activeExtensions = offeredExtensions({ agent, extensions: this.extensions, hasFiles });
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#heldRequests.watch(this.#exchange.res, this.admission);
    return this.#signal;
  }

  /** Only GET and HEAD are answered with 304 (RFC 9110 13.1.2); version 0.3 has no such answer. */
  get knownVersion(): string | undefined {
    const { method } = this.#exchange.req;
    const isConditional = this.version !== legacyVersion && (method === 'GET' || method === 'HEAD');
    return isConditional ? versionIn(this.#header('if-none-match')) : undefined;
  }

  get waitMs(): number {
    return waitMsIn(this.#header('prefer'));
  }

  get resumeAfter(): EventId | undefined {
    return resumeAfterIn(this.#exchange) ?? eventIdOfMetadata(this.#lastEventId);
  }

  get idempotencyKey(): string | undefined {
    return idempotencyKeyIn(this.#header('idempotency-key'));
  }

  get traceContext(): TraceContext | undefined {
    return traceContextIn(this.#header('traceparent'), this.#header('tracestate'));
  }

  #header(name: string): string | undefined {
    const value = this.#exchange.req.headers[name];
    return typeof value === 'string' ? value : undefined;
  }
}

/**
 * The event after which a client resumes a stream. An EventSource sends the header when it reconnects; the query
 * parameter is for clients that cannot set headers, and was once named `fromSeq`.
 * @throws {A2AError} InvalidParams
 */
export function resumeAfterIn({ req }: Exchange): EventId | undefined {
  return (
    eventIdInHeader(req) ??
    lastEventIdIn(queryText(req, 'lastEventId'), 'lastEventId') ??
    lastEventIdIn(queryText(req, 'fromSeq'), 'fromSeq')
  );
}

/** @throws {A2AError} InvalidParams */
export function eventIdInHeader({ headers }: Pick<IncomingMessage, 'headers'>): EventId | undefined {
  const { 'last-event-id': header } = headers;
  return lastEventIdIn(typeof header === 'string' ? header : undefined, 'Last-Event-ID');
}

/** An admitted request, and how it names its agent. */
export interface AdmittedRequest {
  readonly admission: Admission;
  /** `tenant` of the parameters, not validated. */
  readonly tenant?: unknown;
  /** The version of the method or path; unset: A2A 1.0. */
  readonly version?: SpokenVersion;
  /** From the parameters, not validated; see `lastEventIdInMetadata`. */
  readonly lastEventId?: unknown;
}

/** Admits or refuses a request before its body is read. @throws {A2AError} */
export function admit(context: GatewayContext, exchange: Exchange): Admission | Promise<Admission> {
  return context.gate.admit(incoming(context, exchange));
}

/** For what anybody may read, but no foreign page. @throws {A2AError} PermissionDenied */
export function requireHost(context: GatewayContext, exchange: Exchange): void {
  context.gate.requireHost(incoming(context, exchange));
}

export function incoming({ settings }: GatewayContext, { req, res }: Exchange): IncomingRequest {
  return {
    headers: req.headers,
    address: clientAddress(req.socket.remoteAddress, req.headers['x-forwarded-for'], settings.rates.proxies),
    certificate: clientCertificate(req.socket),
    certificateProblem: certificateProblem(req.socket),
    host: requestedHost(req, settings),
    requestId: requestIdIn(res),
    answer: res,
    isSafe: req.method === 'GET' || req.method === 'HEAD',
  };
}

/** Options for reading the body of an admitted request: its bytes count until the request is over. */
export function bodyLimits({ settings }: GatewayContext, { res }: Exchange, admission: Admission): BodyLimits {
  disposeOnClose(res, admission);
  return { maxBytes: settings.maxBodyBytes, maxValues: settings.maxBodyValues, counter: admission };
}

/** Those of a request that may have a message, whose files can be sent beside it. */
export function messageLimits(context: GatewayContext, exchange: Exchange, admission: Admission): BodyLimits {
  const limits = bodyLimits(context, exchange, admission);
  return context.files ? { ...limits, filesUrl: `${baseUrl(exchange.req, context.settings)}/files` } : limits;
}

/**
 * Makes the call of a request, with its version, and the agent of its path or tenant. The response headers list the
 * active extensions.
 * @throws {A2AError}
 */
export function openHttpCall(
  { agents, settings, heldRequests }: GatewayContext,
  exchange: Exchange,
  request: AdmittedRequest,
): HttpCall {
  const { req } = exchange;
  const { admission, tenant, version: spoken, lastEventId } = request;
  const { missingVersion: missing, preview } = settings;
  const version = requireSupportedVersion(namedVersion(req), { spoken, missing, preview });
  if (version === previewVersion) sayPreview(exchange.res);
  const agentId = pathPart(req, 'agentId');
  const agent = agentOfCall(agents, admission, { agentId, tenant });
  const endpoint = (): AgentEndpoint =>
    endpointAt(baseUrl(req, settings), agentId, { named: tenant, selected: agent.id });
  const hasFiles = settings.files !== undefined;
  const call = new HttpCall({ admission, agent, endpoint, version, hasFiles, lastEventId }, exchange, heldRequests);
  const { activeExtensions: active } = call;
  if (active.length > 0) exchange.res.setHeader('A2A-Extensions', active.join(','));
  return call;
}

/** Responses of A2A 1.1 name their version, also for caches: the same path has another response in 1.0. */
function sayPreview(res: ServerResponse): void {
  res.setHeader('A2A-Version', previewVersion);
  res.appendHeader('Vary', 'A2A-Version');
}
