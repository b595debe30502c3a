import { A2AError, type A2AErrorCode, type TraceContext } from '@switchyard/protocol';
import type { AnnouncedAgent, EventId, Scope } from '@switchyard/store';
import { traceContextIn } from '@switchyard/telemetry';
import type { Admission } from '../../admission/admission.ts';
import { agentOfCall } from '../../agents/agent-directory.ts';
import { type AgentEndpoint, type Call, type CallerContext, endpointAt } from '../../call/call.ts';
import { offeredExtensions, parseExtensions } from '../../call/extensions.ts';
import type { HeldRequest, HeldRequests } from '../../call/held-requests.ts';
import { withoutSlashAtEnd } from '../../exchange/addresses.ts';
import {
  idempotencyKeyIn,
  lastEventIdIn,
  requireSupportedVersion,
  type SpokenVersion,
  waitMsIn,
} from '../../exchange/service-parameters.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { admittedCall } from './admission.ts';
import { type ServedCall, textIn } from './rpc.ts';

/** A call over gRPC. Metadata replaces headers (A2A 10.2). */
export class GrpcCall implements Call, Disposable {
  readonly admission: Admission;
  readonly scope: Scope;
  readonly agent: AnnouncedAgent;
  readonly endpoint: () => AgentEndpoint;
  readonly version: SpokenVersion | undefined;
  readonly extensions: readonly string[];
  readonly activeExtensions: readonly string[];
  readonly #call: ServedCall<unknown, unknown>;
  readonly #heldRequests: HeldRequests;
  #wait: HeldRequest | undefined;

  constructor(
    { admission, agent, endpoint, version, hasFiles }: CallerContext,
    call: ServedCall<unknown, unknown>,
    heldRequests: HeldRequests,
  ) {
    this.admission = admission;
    this.scope = { principal: admission.principal, agent: agent.id };
    this.agent = agent;
    this.endpoint = endpoint;
    this.version = version;
    this.#call = call;
    this.#heldRequests = heldRequests;
    const { metadata } = call;
    // The second name is from version 0.3.
    this.extensions = parseExtensions(textIn(metadata, 'a2a-extensions') ?? textIn(metadata, 'x-a2a-extensions'));
    this.activeExtensions = offeredExtensions({ agent, extensions: this.extensions, hasFiles });
  }

  get signal(): AbortSignal {
    this.#wait ??= this.#watch();
    return this.#wait.signal;
  }

  get waitMs(): number {
    return waitMsIn(textIn(this.#call.metadata, 'prefer'));
  }

  get resumeAfter(): EventId | undefined {
    return lastEventIdIn(textIn(this.#call.metadata, 'last-event-id'), 'last-event-id');
  }

  get idempotencyKey(): string | undefined {
    return idempotencyKeyIn(textIn(this.#call.metadata, 'idempotency-key'));
  }

  get traceContext(): TraceContext | undefined {
    const { metadata } = this.#call;
    return traceContextIn(textIn(metadata, 'traceparent'), textIn(metadata, 'tracestate'));
  }

  /** Call it when the answer is sent. */
  [Symbol.dispose](): void {
    this.#wait?.release();
  }

  #watch(): HeldRequest {
    const wait = this.#heldRequests.hold(this.admission, this.#call.getPeer());
    this.#call.once('cancelled', wait.release);
    if (this.#call.cancelled) wait.release();
    return wait;
  }
}

/** Metadata that names an agent, for clients whose requests have no tenant. */
const agentKey = 'a2a-agent';

/**
 * Makes the call of a request, with its version and its agent. gRPC has no path, so `tenant` names the agent, as its
 * card says; without a tenant it is the default agent.
 * @throws {A2AError}
 */
export function openGrpcCall(
  context: GatewayContext,
  call: ServedCall<unknown, unknown>,
  { tenant, version: spoken }: { readonly tenant?: string; readonly version?: SpokenVersion },
): GrpcCall {
  const { admission } = admittedCall(call);
  const { missingVersion: missing, preview } = context.settings;
  const version = requireSupportedVersion(textIn(call.metadata, 'a2a-version'), { spoken, missing, preview });
  const agentId = textIn(call.metadata, agentKey);
  const agent = agentOfCall(context.agents, admission, { agentId, tenant });
  const endpoint = (): AgentEndpoint => endpointAt(httpBase(context), agentId, { named: tenant, selected: agent.id });
  const hasFiles = context.files !== undefined;
  return new GrpcCall({ admission, agent, endpoint, version, hasFiles }, call, context.heldRequests);
}

/** Refusals that depend on the agent. */
const ofAgent: ReadonlySet<A2AErrorCode> = new Set([
  'TaskNotFound',
  'UnsupportedOperation',
  'ContentTypeNotSupported',
  'PushNotificationNotSupported',
  'ExtendedAgentCardNotConfigured',
  'ExtensionSupportRequired',
  'InvalidAgentResponse',
]);

/**
 * The refusal of a call that names no agent, as some clients send it whatever the card says: names the agent that was
 * asked, and why it was this one. Other refusals are returned unchanged.
 */
export function namingAgent(refusal: unknown, { agent, endpoint }: Pick<GrpcCall, 'agent' | 'endpoint'>): unknown {
  if (!(refusal instanceof A2AError) || !ofAgent.has(refusal.code) || endpoint().agentId !== undefined) return refusal;
  const { message, violations, metadata, challenges, cause } = refusal;
  const asked = `the agent "${agent.id}" was asked, the default one, because the request names none (tenant, as in the agent's card)`;
  return new A2AError(refusal.code, `${message}; ${asked}`, {
    violations,
    metadata: { ...metadata, agent: agent.id },
    challenges,
    cause,
  });
}

/** gRPC requests have no URL; this is that of the HTTP bindings. */
function httpBase({ settings, httpUrl }: GatewayContext): string {
  return withoutSlashAtEnd(settings.publicUrl ?? httpUrl() ?? '');
}
