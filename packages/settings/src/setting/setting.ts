import type { z } from 'zod';

/** Which programs have settings. `start`: `switchyard up` and `npm start`; `switchyard`: all commands that call agents. */
export const commands = ['start', 'gateway', 'worker', 'switchyard', 'chat', 'pizza'] as const;
export type CommandName = (typeof commands)[number];

/** One setting: a variable of the environment. */
export interface Setting {
  readonly of: readonly CommandName[];
  /** Reads the text; its description names what is allowed. */
  readonly schema: z.ZodType;
  readonly default?: unknown;
  /** By command, where commands have different ones. */
  readonly defaults?: Readonly<Partial<Record<CommandName, unknown>>>;
  /** Printed instead of the default, where that is computed or hard to read. */
  readonly defaultText?: string;
  /** What it is for, and what its special values mean. */
  readonly text: string;
  /** Every gateway and worker of a deployment must have the same. */
  readonly isShared?: true;
  /** Its value is never printed; a pattern: none that it matches. */
  readonly isSecret?: true | RegExp;
  /** Most people need it: the README names it. */
  readonly isCommon?: true;
}

/** Settings that belong together, under a title. */
export interface SettingGroup {
  readonly title: string;
  readonly settings: Readonly<Record<string, Setting>>;
}
