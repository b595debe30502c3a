import { setTimeout as delay } from 'node:timers/promises';
import { type Agent, type AgentDefinition, defineAgent } from '@switchyard/agent';
import { announcedCard, RemoteCardError, type RemoteSettings, remoteExecutor } from '@switchyard/executor-remote';
import type { RemoteProblem } from '@switchyard/operators';
import type { AgentAnnouncement } from '@switchyard/store';
import type { Emit } from '../telemetry/events.ts';
import { Poller } from '../timing/timing.ts';
import type { ExternalAgent } from './sources.ts';

/** An operator's settings for an agent that runs elsewhere. */
export interface ExternalAgentSettings {
  readonly id: string;
  readonly cardUrl: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly auth?: RemoteSettings['auth'] | undefined;
  readonly trustedOrigins?: readonly string[] | undefined;
  readonly binding?: RemoteSettings['binding'] | undefined;
  readonly concurrency?: number | undefined;
  readonly turnTimeoutMs?: number | undefined;
  /** Attempts at a message; each waits a minute for an agent that does not answer. */
  readonly attempts?: number | undefined;
  /** Of its turns, over all workers. */
  readonly limits?: Omit<NonNullable<AgentDefinition['limits']>, 'runningPer' | 'runningPerKey'> | undefined;
  /** Name and description replace those of its card. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

type Card = Agent['card'];
type CardDraft = AgentDefinition['card'];

/** What the last read of the card has shown. */
type CardState = 'reachable' | 'unreachable' | 'refused';

const POLL_EVERY_MS = 5_000;
/** While the agent answers, its card is read once in this many polls. */
const POLLS_PER_READ = 12;
/** How long a worker waits for the agent's card before it starts without it. */
const FIRST_READ_MS = 3_000;

/**
 * Passes turns to an agent that runs elsewhere. Its card is read repeatedly: while the agent does not answer, the card
 * that was announced last is used, or a placeholder if there was none yet.
 */
export class ExternalA2AAgent implements ExternalAgent {
  readonly id: string;
  readonly repliesWithMessage = false;
  readonly whileWorking = 'queue';
  readonly concurrency: number;
  readonly turnTimeoutMs: number;
  readonly retry: Agent['retry'];
  readonly limits?: NonNullable<Agent['limits']>;
  readonly execute: Agent['execute'];
  readonly #settings: ExternalAgentSettings;
  readonly #remote: RemoteSettings;
  readonly #emit: Emit;
  readonly #poller: Poller;
  #card: Card;
  /** Whether a card of the agent was ever read; until then there is a placeholder. */
  #hasCard = false;
  #state: CardState | undefined;
  #reason = '';
  #problem: RemoteProblem | undefined;
  #polls = 0;

  /** @throws {TypeError} naming the setting that cannot be used */
  constructor(settings: ExternalAgentSettings, emit: Emit) {
    const { id, cardUrl, headers, auth, trustedOrigins, binding, concurrency = 100 } = settings;
    this.#settings = settings;
    this.#emit = emit;
    this.#remote = {
      cardUrl,
      ...(headers && { headers }),
      ...(auth && { auth }),
      ...(trustedOrigins && { trustedOrigins }),
      ...(binding && { binding }),
    };
    const agent = defineAgent({
      id,
      card: { ...placeholder(noAnswer), name: id, ...this.#overrides },
      concurrency,
      turnTimeoutMs: settings.turnTimeoutMs ?? 3_600_000,
      retry: { attempts: settings.attempts ?? 100, backoffMs: 1_000, maxBackoffMs: 5_000 },
      execute: remoteExecutor(this.#remote),
      ...(settings.limits && { limits: settings.limits }),
    });
    this.id = id;
    this.concurrency = concurrency;
    this.turnTimeoutMs = agent.turnTimeoutMs;
    this.retry = agent.retry;
    if (agent.limits) this.limits = agent.limits;
    this.execute = agent.execute;
    this.#card = agent.card;
    const onError = (error: unknown): void => emit({ kind: 'error', where: 'card', err: error });
    this.#poller = new Poller({ everyMs: POLL_EVERY_MS, run: () => this.#poll(), onError });
  }

  get card(): Card {
    return this.#card;
  }

  get problem(): RemoteProblem | undefined {
    return this.#problem;
  }

  async open(find: (id: string) => Promise<AgentAnnouncement | undefined>): Promise<void> {
    const announced = (await find(this.id))?.card;
    this.#hasCard = announced !== undefined && announced.version !== unknownVersion;
    this.#card = announced ?? this.#card;
    this.#poller.start();
    this.#poller.request();
    await Promise.race([this.#poller.settled(), delay(FIRST_READ_MS, undefined, { ref: false })]);
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
  }

  async #poll(): Promise<void> {
    this.#polls += 1;
    if (this.#state === 'reachable' && this.#polls % POLLS_PER_READ !== 0) return;
    try {
      const { card, problems } = await announcedCard(this.#remote, 0);
      this.#card = this.#define(card);
      this.#hasCard = true;
      this.#problem = undefined;
      if (this.#isNew('reachable', problems.join('; ')))
        this.#emit({ kind: 'agent-reachable', agent: this.id, ...(problems.length > 0 && { problems }) });
    } catch (error) {
      this.#onFailure(error);
    }
  }

  #onFailure(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const isUnreachable = error instanceof RemoteCardError && error.isUnreachable;
    const state = isUnreachable ? 'unreachable' : 'refused';
    const { origin, pathname: path } = new URL(this.#settings.cardUrl);
    // An address may have a password, or a token in its query.
    const text = reason.replaceAll(this.#settings.cardUrl, origin + path);
    this.#problem = { kind: isUnreachable ? 'unreachable' : 'bad-card', text };
    if (!this.#hasCard) this.#card = this.#define(placeholder(isUnreachable ? noAnswer : badCard));
    // While an agent does not answer, the reasons differ from poll to poll.
    if (!this.#isNew(state, isUnreachable ? '' : reason)) return;
    // The log leaves the paths of addresses in a text out.
    this.#emit({
      kind: isUnreachable ? 'agent-unreachable' : 'agent-card-refused',
      agent: this.id,
      reason: text,
      path,
    });
  }

  #isNew(state: CardState, reason: string): boolean {
    const isNew = this.#state !== state || this.#reason !== reason;
    this.#state = state;
    this.#reason = reason;
    return isNew;
  }

  #define(card: Omit<CardDraft, 'name'> & { readonly name?: string }): Card {
    const { id } = this;
    return defineAgent({ id, card: { name: id, ...card, ...this.#overrides }, execute: this.execute }).card;
  }

  get #overrides(): Partial<Pick<Card, 'name' | 'description'>> {
    const { name, description } = this.#settings;
    return { ...(name && { name }), ...(description && { description }) };
  }
}

const unknownVersion = 'unknown';
const noAnswer = 'This agent has not answered yet. Messages to it wait; its own card comes when it does.';
const badCard =
  'The card of this agent cannot be used: the log of its worker says why. Messages to it fail until it can.';

/** Stands for a card that was never read. */
function placeholder(description: string) {
  return { description, version: unknownVersion, skills: [] };
}
