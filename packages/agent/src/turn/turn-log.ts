import type { LogFields, LogLevel, LogLine } from '../port/log-line.ts';

/**
 * Writes lines to the operators' log, never to the client. A worker adds the task, context, agent, attempt and request
 * that they belong to; `LOG_LEVEL` sets the lowest level that is written.
 *
 *     turn.log.info('The order is taken', { order: 17 });
 *
 * A text is cut after 500 characters, a field after 200; a line has at most 20 fields, whose names are letters, digits,
 * `_`, `-` and `.`. Values that look like secrets are left out, and so is what follows the host of a URL.
 */
export class TurnLog {
  readonly #write: (line: LogLine) => void;

  constructor(write: (line: LogLine) => void) {
    this.#write = write;
  }

  /** Details for debugging; by default they are not written. */
  debug(text: string, fields: LogFields = {}): void {
    this.#log('debug', text, fields);
  }

  /** A normal event. */
  info(text: string, fields: LogFields = {}): void {
    this.#log('info', text, fields);
  }

  /** An unexpected event that did no harm. */
  warn(text: string, fields: LogFields = {}): void {
    this.#log('warn', text, fields);
  }

  /** An error that an operator should look at. */
  error(text: string, fields: LogFields = {}): void {
    this.#log('error', text, fields);
  }

  #log(level: LogLevel, text: string, fields: LogFields): void {
    this.#write({ level, text, fields });
  }
}
