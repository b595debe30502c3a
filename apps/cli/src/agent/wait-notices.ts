import { setTimeout as pause } from 'node:timers/promises';
import { waitingUri } from '@switchyard/protocol';
import { z } from 'zod';
import type { Agent } from './agent.ts';
import { isSettled, stateOf, type Task } from './objects.ts';

/** Why a task does not go on: docs/extensions/waiting.md. */
const waitSchema = z.object({
  reason: z.string(),
  text: z.string(),
  isStuck: z.boolean().optional(),
  since: z.string().optional(),
});

export type Wait = z.infer<typeof waitSchema>;

export interface WaitNoticesOptions {
  readonly agent: Agent;
  readonly signal: AbortSignal;
  /** Called when what the task waits for is known, and again when it changes. */
  readonly onWait: (task: Task, wait: Wait) => void;
}

/** Without an event for this long, the command asks what the task waits for. */
const QUIET_MS = 2_000;
/** Afterwards it asks ever less often, up to this. */
const MAX_PAUSE_MS = 15_000;

/** While a command waits: says what the task waits for when nothing happens. */
export class WaitNotices implements Disposable {
  readonly #options: WaitNoticesOptions;
  readonly #over = new AbortController();
  #quiet: NodeJS.Timeout | undefined;
  #taskId: string | undefined;
  #said: string | undefined;
  readonly #startedAt = performance.now();

  constructor(options: WaitNoticesOptions) {
    this.#options = options;
  }

  /** Something has happened to the task: it is quiet from now on. */
  heard(taskId: string | undefined): void {
    // The first event may have been held back.
    const isFirst = this.#taskId === undefined && taskId !== undefined;
    const quietMs = isFirst ? QUIET_MS - (performance.now() - this.#startedAt) : QUIET_MS;
    this.#taskId = taskId ?? this.#taskId;
    clearTimeout(this.#quiet);
    if (this.#over.signal.aborted) return;
    const quiet = setTimeout(() => void this.#ask(quiet), Math.max(0, quietMs));
    this.#quiet = quiet.unref();
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    clearTimeout(this.#quiet);
  }

  /** Until something happens, or the wait is over. */
  async #ask(quiet: NodeJS.Timeout): Promise<void> {
    const { agent, signal } = this.#options;
    const stop = AbortSignal.any([signal, this.#over.signal]);
    for (let waitMs = QUIET_MS; ; waitMs = Math.min(waitMs * 2, MAX_PAUSE_MS)) {
      if (stop.aborted || this.#quiet !== quiet || this.#taskId === undefined) return;
      // An agent that cannot be reached is reported by the wait itself.
      const task = await agent.getTask(this.#taskId, { historyLength: 0, explainsWait: true }).catch(() => undefined);
      if (stop.aborted || this.#quiet !== quiet || (task && isSettled(stateOf(task)))) return;
      if (task) this.#say(task);
      await pause(waitMs, undefined, { signal: stop, ref: false }).catch(() => undefined);
    }
  }

  #say(task: Task): void {
    const wait = agentsWait(task) ?? (this.#options.agent.explainsWaits ? undefined : unbegun(task));
    if (!wait || wait.reason === this.#said) return;
    this.#said = wait.reason;
    this.#options.onWait(task, wait);
  }
}

/** What a task waits for, as its agent says. */
export function agentsWait(task: Task): Wait | undefined {
  return waitSchema.safeParse(Object(task.metadata)[waitingUri]).data;
}

/** Of an agent that does not say it: only that the task has not begun. */
function unbegun(task: Task): Wait | undefined {
  const isUnbegun = stateOf(task) === 'TASK_STATE_SUBMITTED' || stateOf(task) === 'TASK_STATE_UNSPECIFIED';
  return isUnbegun ? { reason: 'unknown', text: 'The agent has not begun the task.' } : undefined;
}
