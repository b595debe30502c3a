import { Conversations } from '@switchyard/conversations';
import { Ops } from '@switchyard/operators';
import { A2AError } from '@switchyard/protocol';
import type { ScheduleList } from '@switchyard/schedules';
import {
  type Feeds,
  RedisUnreachable,
  RedisUnusable,
  type RequestStore,
  type Store,
  type Tasks,
} from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { LateMessages } from './late-messages.ts';
import { type Requests, requestsAt } from './requests.ts';

/**
 * The part of a `Store` that a gateway uses. The owner of the store starts it before the gateway and stops it
 * afterwards.
 */
export interface GatewayStore
  extends Pick<
    Store,
    'inside' | 'registry' | 'settings' | 'isAnswering' | 'availability' | 'forRequests' | 'observe' | 'timesToLive'
  > {
  readonly feeds: Pick<Feeds, 'follow' | 'presubscribe' | 'readersOf'>;
}

/** What requests outside of operations need of a deployment. */
export interface DeploymentParts {
  readonly tasks: Tasks;
  readonly waits: RequestStore['waits'];
  readonly conversations: Pick<Conversations, 'read' | 'list' | 'events'>;
  readonly conversationFeeds: Pick<Conversations, 'follow'>;
  readonly schedules: ScheduleList;
}

/**
 * Starts the store; called again after it rejects with `RedisUnreachable`.
 * @param onRefused called when the store must not be used any more
 */
export type Connect = (onRefused: (refusal: RedisUnusable) => void) => Promise<void>;

interface DeploymentDependencies {
  readonly store: GatewayStore;
  /** Unset: the owner of the store has started it. */
  readonly connect?: Connect | undefined;
  /** How long a request waits for its Redis. */
  readonly timeoutMs: number;
  /** How long `start` waits for it. Default: 6 s. */
  readonly startWithinMs?: number | undefined;
  readonly emit: Emit;
}

const START_WITHIN_MS = 6_000;
const RETRY_MS = 2_000;
const WATCH_MS = 1_000;

/** A Redis with its workers, as a gateway uses it. */
export class Deployment {
  /** As its setting DEPLOYMENT. */
  readonly number: number;
  readonly store: GatewayStore;
  readonly requests: Requests;
  readonly ops: Ops;
  readonly parts: DeploymentParts;
  readonly late: LateMessages;
  readonly #connect: Connect | undefined;
  readonly #startWithinMs: number;
  readonly #emit: Emit;
  readonly #listeners: (() => void)[] = [];
  #isConnected: boolean;
  #wasAnswering = true;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(number: number, dependencies: DeploymentDependencies) {
    const { store, connect, timeoutMs, startWithinMs = START_WITHIN_MS, emit } = dependencies;
    this.number = number;
    this.store = store;
    this.#connect = connect;
    this.#startWithinMs = startWithinMs;
    this.#isConnected = connect === undefined;
    this.#emit = emit;
    this.requests = requestsAt(store, timeoutMs);
    this.ops = new Ops(this.requests);
    this.late = new LateMessages(store, emit);
    const { tasks, waits, conversations, schedules } = this.requests;
    this.parts = { tasks, waits, conversations, conversationFeeds: new Conversations(store.inside), schedules };
  }

  /** Whether its Redis answers, as far as is known without asking. */
  get isAnswering(): boolean {
    return this.#isConnected && this.store.isAnswering;
  }

  /** Whether it was reached since the gateway started, and has not refused it since. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** For a request that needs it. @throws {A2AError} Unavailable: it was not reached since the gateway started */
  require(): this {
    if (this.#isConnected) return this;
    throw new A2AError('Unavailable', 'The task store is unavailable', { retryAfterSeconds: 1 });
  }

  /** Calls `listener` once the deployment is reached: at once, if it is. */
  onConnected(listener: () => void): void {
    if (this.#isConnected) listener();
    else this.#listeners.push(listener);
  }

  /**
   * Resolves when it is reached, or after some seconds: then it is tried again and again.
   * @throws {RedisUnusable} this program must not work with it
   */
  async start(): Promise<void> {
    this.onConnected(() => this.late.start());
    if (!this.#connect) return;
    const connected = this.#tryToConnect();
    const late = new Promise<void>((resolve) => void setTimeout(resolve, this.#startWithinMs).unref());
    await Promise.race([connected, late]);
    if (this.#isConnected) return;
    this.#sayAway();
    // The gateway serves others by now: a refusal does not end its start, and is not the last word.
    connected.catch((err: unknown) => this.#retryRefused(err));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.late.stop();
  }

  /** @throws {RedisUnusable} it answers, and refuses this program */
  async #tryToConnect(): Promise<void> {
    try {
      await this.#connect?.((refusal) => this.#refused(refusal));
    } catch (error) {
      if (error instanceof RedisUnusable && !(error instanceof RedisUnreachable)) throw error;
      return this.#tryLater();
    }
    if (this.#isStopped) return;
    this.#isConnected = true;
    this.#emit({ kind: 'deployment-answers', deployment: this.number });
    for (const listener of this.#listeners.splice(0)) listener();
    this.#watch();
  }

  /** A later release has taken it over: only a later gateway can serve it. */
  #refused(err: RedisUnusable): void {
    this.stop();
    this.#isConnected = false;
    this.#emit({ kind: 'deployment-refuses', deployment: this.number, err });
  }

  #tryLater(): void {
    if (this.#isStopped) return;
    const retry = (): void => void this.#tryToConnect().catch((err: unknown) => this.#retryRefused(err));
    this.#timer = setTimeout(retry, RETRY_MS);
  }

  #retryRefused(err: unknown): void {
    this.#emit({ kind: 'deployment-refuses', deployment: this.number, err });
    this.#tryLater();
  }

  /** Says when it goes, and when it comes back. */
  #watch(): void {
    this.#timer = setInterval(() => {
      if (this.isAnswering === this.#wasAnswering) return;
      this.#wasAnswering = this.isAnswering;
      if (this.#wasAnswering) this.#emit({ kind: 'deployment-answers', deployment: this.number });
      else this.#sayAway();
    }, WATCH_MS);
  }

  #sayAway(): void {
    this.#emit({ kind: 'deployment-away', deployment: this.number });
  }
}
