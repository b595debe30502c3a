/** The severity of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Short values by name. An error is written with its type, message, stack and cause. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined | Error>>;

/** A log line of an agent. */
export interface LogLine {
  readonly level: LogLevel;
  readonly text: string;
  readonly fields: LogFields;
}
