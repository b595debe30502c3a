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

const GIVE_UP_AFTER_MS = 60_000;
const PATIENCE_MS = 15_000;

/**
 * A client as the specification asks for: it sends a request again, with the same messageId, to any gateway until one
 * answers.
 */
export class ResilientClient {
  readonly #urls: readonly string[];
  #next: number;

  /** @param start index of the first URL */
  constructor(urls: readonly string[], start: number) {
    this.#urls = urls;
    this.#next = start;
  }

  /** The gateway to ask now; another one each time. */
  url(): string {
    return this.#urls[this.#next++ % this.#urls.length] ?? '';
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
      const answer = await attempt<Body>(this.url() + path, body);
      if (answer?.status === 200) return answer.body;
      if (answer && answer.status < 500 && answer.status !== 429)
        throw new Refused(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      if (Date.now() > deadline) throw new Error(`${path} was not answered; last: ${JSON.stringify(answer)}`);
      await delay(100);
    }
  }
}

/** @returns undefined: there was no answer, or half of one */
async function attempt<Body>(url: string, body: object | undefined): Promise<Answer<Body> | undefined> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  } catch {
    return undefined; // a gateway that was just killed
  }
}
