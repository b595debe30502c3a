/** How much a line of a log matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What a line is about: short values by name. An error is written with its type, message, stack and cause. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined | Error>>;

/** A line that an agent logs. */
export interface LogLine {
  readonly level: LogLevel;
  readonly text: string;
  readonly fields: LogFields;
}
