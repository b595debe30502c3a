import { setTimeout as delay } from 'node:timers/promises';
import { isEventName } from '@switchyard/protocol';
import { check, type DataSchema } from '../data/data-schema.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import { TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';
import type { WaitRequest } from '../port/wait-port.ts';
import { type Duration, msOf } from './duration.ts';
import { EventError } from './event-error.ts';

/** Options of a wait. */
export interface SleepOptions {
  /**
   * Tells this wait from others of the turn, if another run may begin them in another order. Default: they are numbered.
   */
  readonly name?: string;
}

/** Options of a wait for an event. */
export interface WaitOptions extends SleepOptions {
  /** After which the wait fails. Default: never. */
  readonly timeout?: Duration;
  /** Schema of zod or another library for the data of the event. Default: any data. */
  readonly schema?: DataSchema<unknown>;
}

/** A wait up to this long holds the process: to suspend the turn would cost more. */
const SHORT_MS = 1_000;

/** The waits of one turn. */
export class TurnWaits {
  readonly #port: TurnPort;
  readonly #journal: TurnJournal;

  constructor(port: TurnPort, journal: TurnJournal) {
    this.#port = port;
    this.#journal = journal;
  }

  async sleep(duration: Duration, options?: SleepOptions): Promise<void> {
    const key = this.#key('sleep', options);
    await this.#wait({ key, delayMs: msOf(duration) });
  }

  async sleepUntil(date: Date, options?: SleepOptions): Promise<void> {
    const key = this.#key('sleep', options);
    const untilMs = date.getTime();
    if (Number.isNaN(untilMs)) throw new TurnMisuseError('The date of sleepUntil is invalid.');
    await this.#wait({ key, untilMs: Math.max(0, untilMs) });
  }

  async waitFor(event: string, { timeout, schema, ...options }: WaitOptions = {}): Promise<unknown> {
    checkName(event);
    const key = this.#key(`event ${event}`, options);
    const result = await this.#wait({ key, event, delayMs: timeout === undefined ? undefined : msOf(timeout) });
    if (result === '') throw new EventError('timed-out', event, { why: `did not come within ${text(timeout)}.` });
    const { data }: { data: unknown } = JSON.parse(result);
    if (!schema) return data;
    const checked = await check(schema, data);
    if ('value' in checked) return checked.value;
    throw new EventError('unexpected-data', event, { why: `has unexpected data: ${checked.problem}`, data });
  }

  async callbackUrl(event: string): Promise<string> {
    checkName(event);
    const key = this.#key(`callback ${event}`);
    return this.#journal.pending.during(() => this.#journal.runEffect(() => this.#port.waits.callbackUrl(key, event)));
  }

  /** @returns as in `WaitBeginning` */
  async #wait(request: WaitRequest): Promise<string> {
    const { pending, signal } = this.#journal;
    for (;;) {
      const wait = await pending.during(() => this.#journal.runEffect(() => this.#port.waits.begin(request)));
      if (wait.kind === 'done') return wait.result;
      const { dueMs, leftMs } = wait;
      if (request.event !== undefined || leftMs > SHORT_MS) return pending.add({ event: request.event, dueMs });
      await pending.during(() => delay(leftMs, undefined, { signal }).catch(() => signal.throwIfAborted()));
    }
  }

  /** Numbered before the first await: waits that begin together are numbered in the order of the code. */
  #key(kind: string, { name }: SleepOptions = {}): string {
    const { scope } = this.#journal;
    if (scope.step !== '')
      throw new TurnMisuseError(
        `The step "${scope.step}" cannot wait so: a step that is interrupted runs again from its beginning. Wait between steps.`,
      );
    const named = name === undefined ? kind : `${kind} ${name}`;
    if (!/^[^\p{Cc}]{1,300}$/u.test(named))
      throw new TurnMisuseError(
        `A wait needs a name of at most 200 printable characters, not ${JSON.stringify(name)}.`,
      );
    return `${named} ${scope.number('wait', named)}`;
  }
}

/** @throws {TurnMisuseError} */
function checkName(event: string): void {
  if (isEventName(event)) return;
  throw new TurnMisuseError(
    `The name of an event is ${JSON.stringify(event)} and must have 1 to 64 letters, digits, hyphens, underscores and dots.`,
  );
}

const text = (duration: Duration | undefined): string =>
  typeof duration === 'number' ? `${duration / 1_000} s` : `${duration}`;
