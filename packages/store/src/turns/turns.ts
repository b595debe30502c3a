import type { FailureReport } from '@switchyard/protocol';
import type { Channels } from '@switchyard/redis';
import { Places, type TurnLimits } from '../places/places.ts';
import { AgentQueue } from '../queue/agent-queue.ts';
import { Consumer, type ConsumerDependencies, type ConsumerOptions } from '../queue/consumer.ts';
import { currentMoment } from '../queue/moment.ts';
import { jobId } from '../queue/queue-names.ts';
import { Appends, type TurnsDependencies } from './appends.ts';
import type { AgentTurnSettings } from './begin-reply.ts';
import { type AttemptId, recordFailure } from './failures.ts';
import { type LostAttempt, lostAttempts } from './lost-attempts.ts';
import type { OpenTurn } from './open-turn.ts';
import { takeLimitedTurns } from './take-limited-turns.ts';
import { TurnJob, type TurnJobDependencies, takeTurns } from './turn-job.ts';

/** Prefix of what add-message.lua publishes when a message steers a running turn; the task id follows. */
const STEER = 'steer ';

export interface TurnConsumerOptions extends ConsumerOptions<TurnJob>, Omit<AgentTurnSettings, 'turnsPerJob'> {
  /** Of its agent, the same for all its queues. Unset: it has no limits. */
  readonly places?: Places | undefined;
}

/** One start of a job, as its queue would give it out. */
export interface GivenStart extends AgentTurnSettings {
  /** As `queueName`. */
  readonly queue: string;
  readonly taskId: string;
  readonly job: number;
  readonly started: number;
  readonly token: string;
  readonly turnsBefore?: number;
}

/** Turns, for workers. */
export class Turns {
  readonly #dependencies: TurnJobDependencies & { readonly consumers: ConsumerDependencies };
  readonly #channels: Channels;

  constructor(dependencies: TurnsDependencies & { readonly consumers: ConsumerDependencies }, channels: Channels) {
    this.#dependencies = { ...dependencies, appends: new Appends(dependencies), running: new Map() };
    this.#channels = channels;
  }

  /** Consumes the jobs of one queue; each run calls `begin` of its job. */
  consume({ maxAttempts, whileWorking, places, ...options }: TurnConsumerOptions): Consumer<TurnJob> {
    const agent = { maxAttempts, whileWorking };
    const consumer: Consumer<TurnJob> = new Consumer(this.#dependencies.consumers, {
      ...options,
      take: (queue, request) =>
        places
          ? takeLimitedTurns(this.#dependencies, queue, { ...request, agent, places })
          : takeTurns(this.#dependencies, queue, { ...request, agent }),
    });
    places?.onFree(() => consumer.wake());
    return consumer;
  }

  /** The places of an agent with limits. */
  places(agent: string, limits: TurnLimits): Places {
    const { consumers, shards } = this.#dependencies;
    return new Places(consumers.leases.of(shards.of(agent)), agent, limits);
  }

  /** For tools and tests: a job that no consumer has taken. No lease keeps it. */
  jobOf({ queue: name, taskId, job, started, token, turnsBefore, ...settings }: GivenStart): TurnJob {
    const queue = new AgentQueue(this.#dependencies.consumers.leases.of(this.#dependencies.shards.of(taskId)), name);
    const start = {
      id: jobId(taskId, job),
      token,
      started,
      isAwaited: false,
      waitedMs: 0,
      requestedAt: currentMoment(),
    };
    return new TurnJob(this.#dependencies, queue, { ...start, turnsBefore, settings });
  }

  /** Subscribes to cancels of the turns that this process runs, and to messages that steer them. */
  async listen(): Promise<void> {
    const { running, shards } = this.#dependencies;
    const onPublished = (text: string): void => {
      if (text.startsWith(STEER)) running.get(text.slice(STEER.length))?.turn?.onSteered();
      else running.get(text)?.turn?.onCancel();
    };
    await Promise.all(shards.all.map(({ cancels }) => this.#channels.subscribe(cancels, onPublished)));
  }

  /** The attempts at the turn's message that were lost in a row right before this one. */
  lostBefore(turn: OpenTurn): Promise<readonly LostAttempt[]> {
    return lostAttempts(this.#dependencies, turn);
  }

  /**
   * Keeps for operators why an attempt failed that cannot say so itself, because its worker is dead. Any process may call
   * it, before or after another worker takes the turn over.
   * @returns false: the task is gone, or its record does not have the attempt any more
   */
  recordFailure(attempt: AttemptId, report: FailureReport): Promise<boolean> {
    return recordFailure(this.#dependencies, attempt, report);
  }
}
