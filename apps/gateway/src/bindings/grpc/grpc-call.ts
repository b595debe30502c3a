import type { AnnouncedAgent, Scope } from '@switchyard/store';
import type { Place } from '../../cards/place.ts';
import type { Visit } from '../../http/http-call.ts';
import { waitMsIn } from '../../http/preferences.ts';
import type { SpokenVersion } from '../../http/protocol-version.ts';
import type { WaitingCall, WaitingCalls } from '../../limits/waiting-calls.ts';
import type { Call } from '../../operations/call.ts';
import { parseExtensions } from '../../operations/extensions.ts';
import { traceParentIn } from '../../push/trace-parent.ts';
import { textIn } from './metadata.ts';
import type { ServedCall } from './rpc.ts';

/** A call that came by gRPC. Metadata stands where HTTP has headers (A2A 10.2). */
export class GrpcCall implements Call, Disposable {
  readonly scope: Scope;
  readonly agent: AnnouncedAgent;
  readonly place: () => Place;
  readonly version: SpokenVersion | undefined;
  readonly #call: ServedCall<unknown, unknown>;
  readonly #waiting: WaitingCalls;
  #wait: WaitingCall | undefined;

  constructor({ principal, agent, place, version }: Visit, call: ServedCall<unknown, unknown>, waiting: WaitingCalls) {
    this.scope = { principal, agent: agent.id };
    this.agent = agent;
    this.place = place;
    this.version = version;
    this.#call = call;
    this.#waiting = waiting;
  }

  get extensions(): readonly string[] {
    const { metadata } = this.#call;
    // The second name is that of version 0.3.
    return parseExtensions(textIn(metadata, 'a2a-extensions') ?? textIn(metadata, 'x-a2a-extensions'));
  }

  get signal(): AbortSignal {
    this.#wait ??= this.#watch();
    return this.#wait.signal;
  }

  get waitMs(): number {
    return waitMsIn(textIn(this.#call.metadata, 'prefer'));
  }

  get traceParent(): string | undefined {
    return traceParentIn(textIn(this.#call.metadata, 'traceparent'));
  }

  /** The answer is out. */
  [Symbol.dispose](): void {
    this.#wait?.leave();
  }

  #watch(): WaitingCall {
    const wait = this.#waiting.enter();
    this.#call.once('cancelled', wait.leave);
    if (this.#call.cancelled) wait.leave();
    return wait;
  }
}
