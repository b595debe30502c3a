import { ServerCallContext } from '@a2a-js/sdk/server';
import type { EventId } from '@switchyard/store';
import type { Call } from '../../call/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { legacyVersion } from '../../exchange/service-parameters.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { type AdmittedRequest, type HttpCall, openCall } from '../http-call.ts';

/** What differs between the bindings of version 0.3. */
export interface LegacyWire {
  /** The error that makes the SDK's handlers answer as they should. */
  refuse(thrown: unknown): Error;
  /** Resolves when the client has read enough for another event. @param bytes of the one that was written */
  drained(bytes: number): Promise<void>;
  /** To be disposed of when the client has the whole answer, or is gone. */
  hold(held: Disposable): void;
  /** Call it when the answer is sent. */
  done(): void;
  /** Protobuf cannot tell 0 from an unset number (`historyLength`). */
  readonly zeroIsUnset: boolean;
}

/** Carries a call through the SDK's handlers, which have a user of their own, and neither a signal nor backpressure. */
export class LegacyCaller {
  readonly isAuthenticated = true;
  readonly call: Call;
  readonly wire: LegacyWire;
  /** Whether the SDK has called an operation. Errors before that are the request's fault. */
  hasAsked = false;
  /** The event that the SDK translates now. */
  position: EventId = { seq: 0 };

  constructor(call: Call, wire: LegacyWire) {
    this.call = call;
    this.wire = wire;
  }

  get userName(): string {
    return this.call.scope.principal.subject;
  }

  /** The version is validated already: the SDK would compare it as a text, with its patch number. */
  toContext(): ServerCallContext {
    return new ServerCallContext({ user: this, requestedVersion: legacyVersion });
  }
}

export function callerOf({ user }: Pick<ServerCallContext, 'user'>): LegacyCaller {
  if (user instanceof LegacyCaller) return user;
  throw new TypeError('a call of version 0.3 came without its caller');
}

/** A call of version 0.3 over HTTP. Its answer has that version's headers. @throws {A2AError} */
export function openLegacyCall(
  context: GatewayContext,
  exchange: Exchange,
  request: Pick<AdmittedRequest, 'admission' | 'lastEventId'>,
): HttpCall {
  const { res } = exchange;
  res.setHeader('A2A-Version', legacyVersion);
  const call = openCall(context, exchange, { ...request, version: legacyVersion });
  const active = res.getHeader('A2A-Extensions');
  if (active !== undefined) res.setHeader('X-A2A-Extensions', active);
  return call;
}
