import type { IncomingHttpHeaders } from 'node:http';
import type { Metadata } from '@grpc/grpc-js';
import type { AnnouncedAgent, Scope } from '@switchyard/store';
import type { Visit } from '../../http/http-call.ts';
import { waitMsIn } from '../../http/preferences.ts';
import type { WaitingCall, WaitingCalls } from '../../limits/waiting-calls.ts';
import type { Call } from '../../operations/call.ts';
import type { RpcExchange } from './rpc-exchange.ts';

/** A call that came by gRPC. Metadata stands where HTTP has headers (A2A 10.2). */
export class GrpcCall implements Call, Disposable {
  readonly scope: Scope;
  readonly agent: AnnouncedAgent;
  /** Streams are resumed by `SubscribeToTask`, whose first event is the task as it is: events have no numbers in gRPC. */
  readonly resumeAfter = undefined;
  readonly #exchange: RpcExchange;
  readonly #waiting: WaitingCalls;
  #wait: WaitingCall | undefined;

  constructor({ principal, agent }: Visit, exchange: RpcExchange, waiting: WaitingCalls) {
    this.scope = { principal, agent: agent.id };
    this.agent = agent;
    this.#exchange = exchange;
    this.#waiting = waiting;
  }

  get extensions(): readonly string[] {
    const uris = textIn(this.#exchange.call.metadata, 'a2a-extensions')?.split(',') ?? [];
    return uris.map((uri) => uri.trim()).filter((uri) => uri !== '');
  }

  get signal(): AbortSignal {
    this.#wait ??= this.#watch();
    return this.#wait.signal;
  }

  get waitMs(): number {
    return waitMsIn(textIn(this.#exchange.call.metadata, 'prefer'));
  }

  /** The answer is out, or nobody waits for it. */
  [Symbol.dispose](): void {
    this.#wait?.leave();
  }

  #watch(): WaitingCall {
    const { call } = this.#exchange;
    const wait = this.#waiting.enter();
    call.once('cancelled', wait.leave);
    if (call.cancelled) wait.leave();
    return wait;
  }
}

/** The first value of a name. */
export function textIn(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** What authenticators read, wherever it came from. */
export function headersOf(metadata: Metadata): IncomingHttpHeaders {
  const texts = Object.entries(metadata.getMap()).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts.map(([name, value]) => [name, String(value)]));
}
