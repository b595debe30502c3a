import { isEventName } from '@switchyard/protocol';
import { check, type DataSchema } from '../data/data-schema.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import { TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';
import { type Duration, msOf } from './duration.ts';
import { EventError } from './event-error.ts';
import { waitOrSuspend } from './wait-or-suspend.ts';

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
    await waitOrSuspend(this.#port.waits, this.#journal, { key, delayMs: msOf(duration) });
  }

  async sleepUntil(date: Date, options?: SleepOptions): Promise<void> {
    const key = this.#key('sleep', options);
    const untilMs = date.getTime();
    if (Number.isNaN(untilMs)) throw new TurnMisuseError('The date of sleepUntil is invalid.');
    await waitOrSuspend(this.#port.waits, this.#journal, { key, untilMs: Math.max(0, untilMs) });
  }

  async waitFor(event: string, { timeout, schema, ...options }: WaitOptions = {}): Promise<unknown> {
    const caller = { stack: '' };
    Error.captureStackTrace(caller, TurnWaits.prototype.waitFor);
    checkName(event);
    const key = this.#key(`event ${event}`, options);
    const wait = { key, event, delayMs: timeout === undefined ? undefined : msOf(timeout) };
    const result = await waitOrSuspend(this.#port.waits, this.#journal, wait, schema);
    if (result === '')
      throw new EventError('timed-out', event, { why: `did not come within ${text(timeout)}.`, caller });
    const { data }: { data: unknown } = JSON.parse(result);
    if (!schema) return data;
    const checked = await check(schema, data);
    if ('value' in checked) return checked.value;
    throw new EventError('unexpected-data', event, { why: `has unexpected data: ${checked.problem}`, data, caller });
  }

  async callbackUrl(event: string): Promise<string> {
    checkName(event);
    const key = this.#key(`callback ${event}`);
    return this.#journal.pending.during(() => this.#journal.runEffect(() => this.#port.waits.callbackUrl(key, event)));
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
