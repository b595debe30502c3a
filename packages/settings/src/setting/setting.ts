import type { z } from 'zod';

/** Commands with settings. `start`: `switchyard up` and `npm start`; `switchyard`: all commands that call agents. */
export const commands = ['start', 'gateway', 'worker', 'switchyard', 'chat', 'pizza'] as const;
export type CommandName = (typeof commands)[number];

/** One setting, which is an environment variable. */
export interface Setting {
  /** The commands that read it. */
  readonly of: readonly CommandName[];
  /** Parses the text of the variable; its description names the allowed values. */
  readonly schema: z.ZodType;
  readonly default?: unknown;
  /** Defaults by command, if they differ. */
  readonly defaults?: Readonly<Partial<Record<CommandName, unknown>>>;
  /** Printed instead of the default, if that is computed or hard to read. */
  readonly defaultText?: string;
  /** Its purpose, and the meaning of special values. */
  readonly text: string;
  /** All gateways and workers of a deployment must have the same value. */
  readonly isShared?: true;
  /** The value is never printed. With a pattern: only values that match are secret. */
  readonly isSecret?: true | RegExp;
  /** Listed in the README, because most people need it. */
  readonly isCommon?: true;
}

/** A titled group of settings. */
export interface SettingGroup {
  readonly title: string;
  readonly settings: Readonly<Record<string, Setting>>;
}
