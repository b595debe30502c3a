import { ServerCallContext } from '@a2a-js/sdk/server';
import type { EventId } from '@switchyard/store';
import type { Call } from '../../call/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { legacyVersion } from '../../exchange/service-parameters.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { type AdmittedRequest, type HttpCall, openHttpCall } from '../http-call.ts';

/** Differences between the bindings of version 0.3. */
export interface LegacyWire {
  /** The error that makes the SDK's handlers send the right answer. */
  refuse(thrown: unknown): Error;
  /**
   * Writes the error of a stream that has begun, unless the SDK writes it well: over REST it prints it, too.
   * @returns whether it is written
   */
  endWith?(thrown: unknown): boolean;
  /** Resolves when the client can take another event. @param bytes of the written event */
  drained(bytes: number): Promise<void>;
  /** Dispose of it when the client has the whole answer, or has disconnected. */
  hold(held: Disposable): void;
  /** Call it when the answer is sent. */
  done(): void;
  /** Protobuf cannot distinguish 0 from an unset number (`historyLength`). */
  readonly zeroIsUnset: boolean;
}

/** Passes a call through the SDK's handlers, which have their own user, and neither a signal nor backpressure. */
export class LegacyCaller {
  readonly isAuthenticated = true;
  readonly call: Call;
  readonly wire: LegacyWire;
  /** Whether the SDK has called an operation. Earlier errors are the request's fault. */
  hasAsked = false;
  /** The event that the SDK is translating. */
  position: EventId = { seq: 0 };

  constructor(call: Call, wire: LegacyWire) {
    this.call = call;
    this.wire = wire;
  }

  get userName(): string {
    return this.call.scope.principal.subject;
  }

  /** The version is already validated: the SDK would compare it as a string, including its patch number. */
  toContext(): ServerCallContext {
    return new ServerCallContext({ user: this, requestedVersion: legacyVersion });
  }
}

export function callerOf({ user }: Pick<ServerCallContext, 'user'>): LegacyCaller {
  if (user instanceof LegacyCaller) return user;
  throw new TypeError('a call of version 0.3 came without its caller');
}

/** A call of version 0.3 over HTTP, with that version's response headers. @throws {A2AError} */
export function openLegacyCall(
  context: GatewayContext,
  exchange: Exchange,
  request: Pick<AdmittedRequest, 'admission' | 'lastEventId'>,
): HttpCall {
  const { res } = exchange;
  res.setHeader('A2A-Version', legacyVersion);
  const call = openHttpCall(context, exchange, { ...request, version: legacyVersion });
  const active = res.getHeader('A2A-Extensions');
  if (active !== undefined) res.setHeader('X-A2A-Extensions', active);
  return call;
}
