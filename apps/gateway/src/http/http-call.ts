import type { AnnouncedAgent, Principal, Scope } from '@switchyard/store';
import type { Place } from '../cards/place.ts';
import type { WaitingCalls } from '../limits/waiting-calls.ts';
import type { Call } from '../operations/call.ts';
import { parseExtensions } from '../operations/extensions.ts';
import { traceParentIn } from '../push/trace-parent.ts';
import { type Exchange, queryText } from './exchange.ts';
import { positionIn, versionIn, waitMsIn } from './preferences.ts';
import type { SpokenVersion } from './protocol-version.ts';

/** Who came in, and where to. */
export interface Visit {
  readonly principal: Principal;
  readonly agent: AnnouncedAgent;
  /** Where it was found. */
  readonly place: () => Place;
  /** In which they speak. */
  readonly version: SpokenVersion | undefined;
}

/** A call that came by HTTP. Headers are read when an operation asks for what they say. */
export class HttpCall implements Call {
  readonly scope: Scope;
  readonly agent: AnnouncedAgent;
  readonly place: () => Place;
  readonly version: SpokenVersion | undefined;
  readonly #exchange: Exchange;
  readonly #waiting: WaitingCalls;
  #signal: AbortSignal | undefined;

  constructor({ principal, agent, place, version }: Visit, exchange: Exchange, waiting: WaitingCalls) {
    this.scope = { principal, agent: agent.id };
    this.agent = agent;
    this.place = place;
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

  /** An EventSource sends the header when it connects again; the query parameter is for those who cannot set headers. */
  get resumeAfter(): number | undefined {
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
