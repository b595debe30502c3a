import type { LogFields, LogLevel, LogLine } from '../port/log-line.ts';

/**
 * Lines for the operators' log, never for the client. A worker writes them with the task, context, agent, attempt and
 * request that they belong to; `LOG_LEVEL` says from which level on.
 *
 *     turn.log.info('The order is taken', { order: 17 });
 *
 * A text is cut behind 500 characters, a field's behind 200; a line has at most 20 fields, whose names are letters,
 * digits, `_`, `-` and `.`. What looks like a secret is left out, and so is what follows the host of an address.
 */
export class TurnLog {
  readonly #write: (line: LogLine) => void;

  constructor(write: (line: LogLine) => void) {
    this.#write = write;
  }

  /** What helps to find a fault; not written unless an operator asks for it. */
  debug(text: string, fields: LogFields = {}): void {
    this.#log('debug', text, fields);
  }

  /** What happened, and was meant to. */
  info(text: string, fields: LogFields = {}): void {
    this.#log('info', text, fields);
  }

  /** What should not happen, and did no harm. */
  warn(text: string, fields: LogFields = {}): void {
    this.#log('warn', text, fields);
  }

  /** What somebody should look at. */
  error(text: string, fields: LogFields = {}): void {
    this.#log('error', text, fields);
  }

  #log(level: LogLevel, text: string, fields: LogFields): void {
    this.#write({ level, text, fields });
  }
}
