import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal, type Message, type Task } from '@switchyard/protocol';
import { until } from '../../../tests/support/until.ts';

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** An answer that no retry would change: a fault of Switchyard, in this suite. */
class Refused extends Error {
  override readonly name = 'Refused';
}

export interface Gateways {
  /** Those that there are now. */
  readonly urls: readonly string[];
}

/** A request that is sent again. */
export interface Retry {
  readonly url: string;
  readonly path: string;
  /** Of the answer; `unanswered`: there was none; `cut`: it broke off. */
  readonly status: number | 'unanswered' | 'cut';
  /**
   * A proxy before the gateways would do so by itself: the connection was refused, or closed before an answer began, or
   * the answer was 503 with Retry-After.
   */
  readonly isAsked: boolean;
}

const GIVE_UP_AFTER_MS = 60_000;
const PATIENCE_MS = 15_000;

/**
 * A client as the specification asks for: it sends a request again, with the same messageId, to any gateway until one
 * answers.
 */
export class ResilientClient {
  readonly #gateways: Gateways;
  readonly #onRetry: (retry: Retry) => void;
  #next: number;

  /** @param start index of the first URL */
  constructor(gateways: Gateways, start: number, onRetry: (retry: Retry) => void = () => undefined) {
    this.#gateways = gateways;
    this.#next = start;
    this.#onRetry = onRetry;
  }

  /** The gateway to ask now; another one each time. */
  url(): string {
    const { urls } = this.#gateways;
    return urls[this.#next++ % urls.length] ?? '';
  }

  /** @param webhook gets all events of the task */
  async send(message: Message, returnImmediately: boolean, webhook?: string): Promise<Task> {
    const configuration = { returnImmediately, ...(webhook && { taskPushNotificationConfig: { url: webhook } }) };
    const { task } = await this.#ask<{ task: Task }>('/message:send', { message, configuration });
    return task;
  }

  read(taskId: string): Promise<Task> {
    return this.#ask<Task>(`/tasks/${taskId}`);
  }

  /** The task once it has ended. @throws {Error} it has not in this time */
  ended(taskId: string, timeoutMs: number): Promise<Task> {
    const end = async (): Promise<Task | false> => {
      const task = await this.read(taskId);
      return isTerminal(task.status.state) && task;
    };
    return until(end, { what: `${taskId} ends`, timeoutMs, everyMs: 100 });
  }

  /** A cancel that is sent again may find the task canceled, which is what was asked for. */
  cancel(taskId: string): Promise<Task> {
    return this.#ask<Task>(`/tasks/${taskId}:cancel`, {});
  }

  /** Repeats a request until it is answered: every request may be sent again. */
  async #ask<Body>(path: string, body?: object): Promise<Body> {
    const deadline = Date.now() + GIVE_UP_AFTER_MS;
    for (;;) {
      const url = this.url();
      const answer = await attempt<Body>(url + path, body);
      if (answer.status === 200) return answer.body;
      if (typeof answer.status === 'number' && answer.status < 500 && answer.status !== 429)
        throw new Refused(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      if (Date.now() > deadline) throw new Error(`${path} was not answered; last: ${JSON.stringify(answer)}`);
      this.#onRetry({ url, path, status: answer.status, isAsked: answer.isRetryAsked });
      // The next gateway may be asked at once; should none be there, not all the time.
      await delay(answer.status === 'unanswered' ? 10 : 100);
    }
  }
}

type Attempt<Body> =
  | (Answer<Body> & { readonly isRetryAsked: boolean })
  | { readonly status: 'unanswered' | 'cut'; readonly body?: undefined; readonly isRetryAsked: boolean };

async function attempt<Body>(url: string, body: object | undefined): Promise<Attempt<Body>> {
  let isBegun = false;
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    isBegun = true;
    const isRetryAsked = response.status === 503 && response.headers.has('retry-after');
    return { status: response.status, body: JSON.parse(await response.text()), isRetryAsked };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    // A gateway that was just killed, or that closes.
    return { status: isBegun ? 'cut' : 'unanswered', isRetryAsked: !isBegun && !isLate };
  }
}
