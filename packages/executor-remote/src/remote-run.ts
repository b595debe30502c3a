import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome, Turn } from '@switchyard/agent';
import { RetryableError, TurnInterruption } from '@switchyard/agent';
import { RefusedError } from '@switchyard/agent/runtime';
import { isTerminal, type TaskStatus } from '@switchyard/protocol';
import { RemoteError } from './answers/remote-error.ts';
import { outgoingMessage, remoteContext } from './outgoing-message.ts';
import type { Call, RemoteClient, RemoteEvent } from './remote-client.ts';
import { RemoteLink } from './remote-link.ts';
import { RemoteView } from './remote-view.ts';
import { RetryBudget } from './retry-budget.ts';
import { RunSignal } from './run-signal.ts';
import type { FullRemoteSettings } from './settings.ts';

/** How often a turn may start again a task that the remote agent has lost. */
const maxRestarts = 5;
/** How often a message is repeated whose connection broke, where the agent cannot be asked whether it has it. */
const maxRepetitions = 2;
/** After this many failed attempts in a row to resume a stream, the task is read instead. */
const maxResumes = 6;
const cancelTimeoutMs = 3_000;

/** The turn has waited long enough for an authorization; the client's next message continues. */
class AuthWaitOver extends Error {
  override readonly name = 'AuthWaitOver';
}

/**
 * One turn of a remote agent. The message is sent once: if an earlier attempt, or a request without an answer, may have
 * sent it, the run looks for it first. The task is mirrored; after a broken connection it continues after the last
 * event or, if the agent's events have no ids, from the current state of the remote task.
 */
export class RemoteRun {
  readonly #turn: Turn;
  readonly #client: RemoteClient;
  readonly #settings: FullRemoteSettings;
  readonly #link: RemoteLink;
  readonly #view: RemoteView;
  readonly #stop: RunSignal;
  readonly #retryBudget: RetryBudget;
  #canStream: boolean;
  #mayBeSent: boolean;
  /** Why nobody knows whether the agent has done what the message asks. */
  #doubt: RemoteError | undefined;
  #repetitions = 0;
  #restarts = 0;
  /** Id of the last event that was mirrored. */
  #lastEventId: string | undefined;
  #failedResumes = 0;
  #authTimer: NodeJS.Timeout | undefined;

  constructor(turn: Turn, client: RemoteClient, settings: FullRemoteSettings) {
    this.#turn = turn;
    this.#client = client;
    this.#settings = settings;
    this.#link = new RemoteLink(turn);
    this.#view = new RemoteView(turn, this.#link);
    this.#stop = new RunSignal(turn.signal);
    this.#retryBudget = new RetryBudget(settings.retryBudgetMs);
    this.#canStream = client.canStream;
    this.#mayBeSent = turn.attempt > 1;
  }

  async run(): Promise<Outcome> {
    using _stop = this.#stop;
    try {
      while (!this.#view.outcome) await this.#advance();
      return this.#view.outcome;
    } catch (error) {
      if (error instanceof AuthWaitOver) return { state: 'TASK_STATE_AUTH_REQUIRED' };
      if (this.#turn.signal.aborted) return await this.#cancelRemote(TurnInterruption.from(this.#turn.signal.reason));
      throw error;
    } finally {
      clearTimeout(this.#authTimer);
    }
  }

  get #call(): Call {
    return { turn: this.#turn, signal: this.#stop.signal };
  }

  async #advance(): Promise<void> {
    try {
      await (this.#link.isSent ? this.#follow() : this.#begin());
    } catch (error) {
      this.#stop.signal.throwIfAborted();
      if (!(error instanceof RemoteError)) throw error;
      await this.#handleError(error);
    }
  }

  /** Sends the message, unless the agent has it. */
  async #begin(): Promise<void> {
    const sent = this.#mayBeSent ? await this.#findSent() : undefined;
    if (sent) return this.#show(sent);
    if (this.#doubt) throw mayBeDone(this.#doubt);
    const contextId = this.#link.contextId ?? (await remoteContext(this.#turn));
    const { maxFileBytes } = this.#settings;
    const request = await outgoingMessage(this.#turn, { taskId: this.#link.taskId, contextId, maxFileBytes });
    await this.#turn.confirm();
    this.#stop.hold();
    try {
      for await (const received of this.#client.send(request, { ...this.#call, canStream: this.#canStream })) {
        await this.#show(received);
        this.#stop.release();
        if (this.#view.outcome) return;
      }
    } finally {
      this.#stop.release();
    }
    if (!this.#link.isSent) throw new RemoteError('unclear', 'its stream ended before the first event');
  }

  /** Resumes the stream after the last event, or reads the task and follows its events. */
  async #follow(): Promise<void> {
    const id = this.#link.taskId ?? '';
    if (this.#lastEventId !== undefined) return this.#resume(id, this.#lastEventId);
    await this.#show({ event: { task: await this.#client.get(id, this.#call) } });
    if (this.#canStream && !this.#view.outcome) await this.#subscribe(id);
    if (this.#view.outcome) return;
    const { signal } = this.#stop;
    await delay(this.#settings.pollEveryMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }

  /** Resumes the stream: it has each event once, so the task need not be read. */
  async #resume(id: string, lastEventId: string): Promise<void> {
    try {
      for await (const received of this.#client.subscribe(id, this.#call, lastEventId)) {
        this.#failedResumes = 0;
        await this.#show(received);
        if (this.#view.outcome) return;
      }
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      if (error.isTemporary && ++this.#failedResumes < maxResumes) throw error;
    }
    this.#failedResumes = 0;
    // The stream was refused, or had no events: the next read of the task shows why.
    if (this.#lastEventId === lastEventId) this.#lastEventId = undefined;
  }

  async #subscribe(id: string): Promise<void> {
    try {
      for await (const received of this.#client.subscribe(id, this.#call)) {
        // Events may be missing or repeated between the read of the task and its stream: at the end the task is read
        // again.
        const { statusUpdate } = received.event;
        const isEnd = statusUpdate && endsTurn(statusUpdate.status);
        await this.#show(isEnd ? { event: { task: await this.#client.get(id, this.#call) } } : received);
        if (this.#view.outcome) return;
      }
    } catch (error) {
      // The task has just ended, or cannot be streamed: the next read shows it.
      if (!(error instanceof RemoteError)) throw error;
    }
  }

  /** Finds the task of the message if an earlier attempt, or a request without an answer, has sent it. */
  async #findSent(): Promise<RemoteEvent | undefined> {
    const { messageId } = this.#turn.message;
    const taskId = this.#link.taskId ?? (await this.#client.find(messageId, this.#call).catch(rethrowTemporary));
    if (taskId === undefined) return undefined;
    const task = await this.#client.get(taskId, this.#call);
    return task.history?.some((message) => message.messageId === messageId) ? { event: { task } } : undefined;
  }

  async #show({ event, eventId }: RemoteEvent): Promise<void> {
    this.#retryBudget.reset();
    await this.#view.show(event);
    this.#lastEventId = eventId;
    if (!this.#view.waitsForAuth) {
      clearTimeout(this.#authTimer);
      this.#authTimer = undefined;
      return;
    }
    // Polls show the same status again and again: the wait began with the first one.
    this.#authTimer ??= setTimeout(() => this.#stop.abort(new AuthWaitOver()), this.#settings.authWaitMs);
  }

  /** Resolves when the next attempt is due. */
  async #handleError(error: RemoteError): Promise<void> {
    if (error.isTemporary) return this.#wait(error);
    if (error.kind === 'lost') return this.#startAgain(error);
    if (error.kind === 'unsupported' && this.#canStream) {
      this.#canStream = false;
      return;
    }
    throw new RefusedError('remote-refused', `The remote agent refused: ${error.message}`, {
      cause: error,
      code: error.kind,
    });
  }

  /** Waits before the request is repeated; a message is looked for first if the agent may have it. */
  async #wait(error: RemoteError): Promise<void> {
    if (!this.#link.isSent) {
      this.#mayBeSent ||= error.mayHaveArrived;
      const isRepeatedTooOften = error.kind === 'broken' && ++this.#repetitions > maxRepetitions;
      if (error.kind === 'unclear' || isRepeatedTooOften) this.#doubt ??= error;
    }
    try {
      await this.#retryBudget.wait(error, this.#stop.signal);
    } catch (cause) {
      // The next attempt could not know of the doubt, and would repeat the message.
      if (this.#doubt && cause instanceof RetryableError) throw mayBeDone(this.#doubt);
      throw cause;
    }
  }

  /**
   * Sends the message again to an agent that has lost its task, such as one without a durable store that was restarted.
   */
  async #startAgain(cause: RemoteError): Promise<void> {
    if (!this.#link.isBegunHere || ++this.#restarts > maxRestarts)
      throw new RefusedError('remote-refused', 'The remote agent no longer knows this task.', { cause, code: 'lost' });
    this.#link.lose();
    this.#lastEventId = undefined;
    this.#view.restart();
    this.#mayBeSent = false;
  }

  /** Cancels the remote task, if the turn was canceled or took too long. */
  async #cancelRemote(reason: TurnInterruption): Promise<Outcome> {
    const id = this.#link.taskId;
    const isOver = reason.kind === 'canceled' || reason.kind === 'deadline';
    if (!isOver || id === undefined) throw reason;
    const call = { turn: this.#turn, signal: AbortSignal.timeout(cancelTimeoutMs) };
    const task = await this.#client.cancel(id, call).catch(() => undefined);
    if (reason.kind !== 'canceled' || task?.status.state !== 'TASK_STATE_CANCELED') throw reason;
    await this.#view.show({ task });
    return task.status;
  }
}

/** Rethrows temporary errors, and ignores others: some agents cannot list their tasks. */
function rethrowTemporary(error: unknown): undefined {
  if (!(error instanceof RemoteError) || error.isTemporary || error.kind === 'lost') throw error;
}

function mayBeDone(cause: RemoteError): RefusedError {
  const text = 'The remote agent may have done this already, so the message is not sent again';
  return new RefusedError('remote-refused', `${text}: ${cause.message}`, { cause, code: 'doubt' });
}

function endsTurn({ state }: TaskStatus): boolean {
  return isTerminal(state) || state === 'TASK_STATE_INPUT_REQUIRED';
}
