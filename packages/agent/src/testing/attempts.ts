import type { Message, StreamResponse, TurnEvent } from '@switchyard/protocol';
import type { Agent } from '../definition/agent.ts';
import type { Content } from '../messages/content.ts';
import type { CallOutcome } from '../port/call-port.ts';
import type { LogLine } from '../port/log-line.ts';
import type { CountedUsage } from '../port/model-call.ts';
import type { TurnResult } from '../port/outcome.ts';
import { type ExecuteTurnOptions, executeTurn } from '../run/execute-turn.ts';
import { MemoryPort, type MemoryTurn } from './memory-port.ts';
import { MemorySteering } from './memory-steering.ts';
import { MemoryWorld, type RunAgent, type RunningTask } from './memory-world.ts';
import { type TestEvent, TimedEvents } from './timed-events.ts';

/** Options of a turn besides its message, and faults to inject. */
export interface AttemptOptions
  extends Omit<MemoryTurn, 'message' | 'task' | 'attempt' | 'isLastAttempt' | 'agent' | 'world' | 'steering'>,
    ExecuteTurnOptions {
  /** Attempts at a turn, without backoff. Default: the agent's policy, or 3. */
  readonly maxAttempts?: number;
  /**
   * Crashes the worker of the first attempt after this many events, that of the second after the next number, …; the
   * next attempt takes over. To test that an agent does nothing twice: `crashesAfter: [2]`.
   */
  readonly crashesAfter?: readonly number[];
  /** Cancels the task after this many events of its first attempt; 0: when the agent has begun. */
  readonly cancelAfter?: number;
  /** Messages that arrive while the turn runs, in order, for an agent with `whileWorking: 'steer'`. */
  readonly steeredBy?: readonly SteeringMessage[];
  /** Events that are given to the turn, in order: see `turn.waitFor`. */
  readonly events?: readonly TestEvent[];
}

/** A message that arrives while the turn runs. */
export interface SteeringMessage {
  readonly message: Content | Message;
  /** It arrives after this many events of the turn, over all its attempts; default 0: when the agent has begun. */
  readonly afterEvents?: number;
}

/** The end of a turn. */
export interface TurnEnding {
  /** Port of the last run. */
  readonly port: MemoryPort;
  readonly result: TurnResult;
  /** Events of all attempts. */
  readonly events: readonly StreamResponse[];
  readonly logged: readonly LogLine[];
  /** What all attempts used of models. */
  readonly used: readonly CountedUsage[];
  /** Messages that arrived while it ran, and that it did not take. */
  readonly untaken: readonly Message[];
}

/** A running turn. */
export interface StartedTurn extends RunningTask {
  readonly done: Promise<TurnEnding>;
}

/** Runs an agent over one message, attempt after attempt. */
export function startTurn(agent: Agent, turn: MemoryTurn, options: AttemptOptions): StartedTurn {
  const attempts = new Attempts(agent, turn, options);
  const done = attempts.run();
  const outcome = done.then(outcomeOf);
  // Only a caller reads it.
  outcome.catch(() => undefined);
  return {
    done,
    task: () => attempts.port.current,
    outcome,
    cancel: () => attempts.port.interrupt('canceled'),
  };
}

/** The attempts at one message. */
class Attempts {
  readonly #agent: Agent;
  readonly #turn: MemoryTurn;
  readonly #options: AttemptOptions;
  readonly #steering = new MemorySteering();
  /** Messages that have not arrived yet. */
  readonly #steeredBy: SteeringMessage[];
  readonly #events: TimedEvents;
  #published = 0;
  /** Of the attempt that runs, or was the last one. */
  port: FaultyPort;

  constructor(agent: Agent, turn: MemoryTurn, options: AttemptOptions) {
    this.#agent = agent;
    this.#turn = turn;
    this.#options = options;
    this.#steeredBy = [...(options.steeredBy ?? [])];
    this.port = this.#attempt(turn, 1);
    this.#events = new TimedEvents(options.events ?? [], this.port.world.clock);
    setImmediate(() => this.#steer(this.port));
    void this.#events.giveTo(this.port.waits);
  }

  async run(): Promise<TurnEnding> {
    const { graceMs } = this.#options;
    const events: StreamResponse[] = [];
    const logged: LogLine[] = [];
    const used: CountedUsage[] = [];
    for (;;) {
      const { port } = this;
      const result = await executeTurn(this.#agent, port, graceMs === undefined ? {} : { graceMs });
      const { hasCrashed } = port;
      if (result.kind === 'interrupted' && !hasCrashed) await cancelTask(port);
      events.push(...port.events);
      logged.push(...port.logged);
      used.push(...port.used);
      const next = await this.#attemptAfter(result, hasCrashed);
      if (next === undefined) {
        const untaken = this.#steering.messages.slice(takenBy(port));
        return { port, result, events, logged, used, untaken };
      }
      this.port = this.#attempt({ ...this.#turn, message: port.input.message, task: port.current }, next);
    }
  }

  /** Number of the attempt that follows: the same one goes on after a wait. undefined: the turn has ended. */
  async #attemptAfter(result: TurnResult, hasCrashed: boolean): Promise<number | undefined> {
    const { input, waits, current } = this.port;
    if (result.kind === 'suspended' && this.#events.skip(result.waits)) {
      await this.#events.giveTo(waits, { taskId: current.id, waits: result.waits });
      return input.attempt;
    }
    const goesOn = hasCrashed ? result.kind === 'interrupted' : result.kind === 'retry' && !input.isLastAttempt;
    return goesOn ? input.attempt + 1 : undefined;
  }

  #attempt(turn: MemoryTurn, number: number): FaultyPort {
    const { maxAttempts = this.#agent.retry.attempts ?? 3, crashesAfter = [], cancelAfter, ...options } = this.#options;
    const { graceMs: _, steeredBy: __, events: ___, ...given } = options;
    const isLastAttempt = number >= maxAttempts;
    return new FaultyPort(
      { ...given, ...turn, steering: this.#steering, agent: this.#agent.id, attempt: number, isLastAttempt },
      {
        crashAfter: crashesAfter[number - 1],
        cancelAfter: number === 1 ? cancelAfter : undefined,
        onPublished: (by) => {
          this.#published++;
          this.#steer(by);
        },
      },
    );
  }

  /** Sends the messages that are due by now. */
  #steer(to: MemoryPort): void {
    const [next] = this.#steeredBy;
    if (!next || (next.afterEvents ?? 0) > this.#published) return;
    this.#steeredBy.shift();
    to.steer(next.message);
    this.#steer(to);
  }
}

/** Ends the task, as the store does when a canceled turn has stopped. */
function cancelTask(port: MemoryPort): Promise<void> {
  return port.publish({ kind: 'status', state: 'TASK_STATE_CANCELED', settles: true });
}

interface Faults {
  readonly crashAfter: number | undefined;
  readonly cancelAfter: number | undefined;
  readonly onPublished: (by: MemoryPort) => void;
}

/** Number of messages that the outcome has taken. */
function takenBy({ published }: MemoryPort): number {
  const last = published.at(-1);
  return (last?.kind === 'status' && last.settles && last.delivered?.length) || 0;
}

/** The port of a worker that crashes, when later events do not count, or of a task that is canceled. */
class FaultyPort extends MemoryPort {
  readonly #faults: Faults;
  hasCrashed = false;

  constructor(turn: MemoryTurn, faults: Faults) {
    super(turn);
    this.#faults = faults;
    if (faults.cancelAfter === 0) setImmediate(() => this.interrupt('canceled'));
  }

  override async publish(event: TurnEvent): Promise<void> {
    await super.publish(event);
    const { crashAfter, cancelAfter, onPublished } = this.#faults;
    onPublished(this);
    const { length } = this.published;
    if (cancelAfter !== undefined && length === cancelAfter) this.interrupt('canceled');
    if (crashAfter === undefined || length < crashAfter) return;
    this.hasCrashed = true;
    this.refuse();
    this.interrupt('taken-over');
  }
}

/** A world in which these agents can be called. */
export function worldOf(agents: readonly Agent[], options: AttemptOptions = {}): MemoryWorld {
  const { principal, maxAttempts, graceMs } = options;
  const ofCalls = {
    ...(principal && { principal }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(graceMs !== undefined && { graceMs }),
  };
  const world = new MemoryWorld();
  for (const agent of agents) world.agents.set(agent.id, runIn(world, agent, ofCalls));
  return world;
}

function runIn(world: MemoryWorld, agent: Agent, options: AttemptOptions): RunAgent {
  return ({ message, task, call, caller }) => {
    const { agent: _id, message: _message, isDetached: _detached, ...request } = call;
    return startTurn(agent, { message, ...(task && { task }), ...request, caller, world }, options);
  };
}

/** The outcome of a called task, as a worker reports it. */
function outcomeOf({ port }: TurnEnding): CallOutcome {
  const { history: _, ...task } = port.current;
  const last = port.published.at(-1);
  const reply = last?.kind === 'status' && last.isPlainMessage ? last.message : undefined;
  return { task, ...(reply && { reply }) };
}
