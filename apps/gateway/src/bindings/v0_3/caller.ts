import { ServerCallContext } from '@a2a-js/sdk/server';
import type { Principal } from '@switchyard/protocol';
import type { EventId } from '@switchyard/store';
import type { Call } from '../../call/call.ts';
import { legacyVersion } from '../../call/service-parameters.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { type HttpCall, openCall } from '../http-call.ts';

/** What the wires of version 0.3 do differently, each in its way. */
export interface LegacyWire {
  /** What is thrown at the SDK's handlers so that they answer it well. */
  refuse(thrown: unknown): Error;
  /** Resolves when the client has read enough for another event. */
  drained(): Promise<void>;
  /** The answer is out. */
  done(): void;
  /** Protobuf cannot tell a 0 from a number that is not there (`historyLength`). */
  readonly zeroIsUnset: boolean;
}

/**
 * Carries our call through the SDK's handlers, which know a user of theirs and nothing of calls: they have no signal
 * of their own and no backpressure.
 */
export class LegacyCaller {
  readonly isAuthenticated = true;
  readonly call: Call;
  readonly wire: LegacyWire;
  /** Whether the SDK got as far as asking us. Before, what goes wrong is the request's fault. */
  hasAsked = false;
  /** The event that is on its way through. */
  position: EventId = { seq: 0 };

  constructor(call: Call, wire: LegacyWire) {
    this.call = call;
    this.wire = wire;
  }

  get userName(): string {
    return this.call.scope.principal.subject;
  }

  /** The version was checked before, by its first two numbers: the SDK would compare it as a text. */
  toContext(): ServerCallContext {
    return new ServerCallContext({ user: this, requestedVersion: legacyVersion });
  }
}

export function callerOf({ user }: Pick<ServerCallContext, 'user'>): LegacyCaller {
  if (user instanceof LegacyCaller) return user;
  throw new TypeError('a call of version 0.3 came without its caller');
}

/** A call of version 0.3 that came by HTTP. Its answer has the headers of that version. @throws {A2AError} */
export function openLegacyCall(context: GatewayContext, exchange: Exchange, principal: Principal): HttpCall {
  const { res } = exchange;
  res.setHeader('A2A-Version', legacyVersion);
  const call = openCall(context, exchange, { principal, version: legacyVersion });
  const active = res.getHeader('A2A-Extensions');
  if (active !== undefined) res.setHeader('X-A2A-Extensions', active);
  return call;
}
