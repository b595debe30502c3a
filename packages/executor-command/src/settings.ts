import type { Outcome, Turn } from '@switchyard/agent';
import { type SettingCheck, settingCheck } from '@switchyard/agent/runtime';
import type { Briefing } from './briefing.ts';
import type { FileSettings } from './list-files.ts';
import type { SandboxSetting } from './sandbox/confine.ts';

/** The turn and the workspace of a program. */
export interface CommandJob {
  readonly turn: Turn;
  /** The task's folder, in which the program is started. */
  readonly workspace: string;
}

/** A program that has ended by itself with exit code 0. */
export interface CommandRun extends CommandJob {
  /** The end of its output, at most 4 KiB. */
  readonly outputTail: string;
  /** Paths of the files that were attached as artifacts, from the workspace. */
  readonly files: readonly string[];
  /** Files that were not attached, and why. */
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

/** Times in milliseconds; Infinity is no limit. */
export interface CommandSettings {
  /** A path, or a name that is looked up on the PATH of `env`. */
  readonly command: string;
  readonly args?: readonly string[] | ((job: CommandJob) => readonly string[]);
  /** `command` is a line for `/bin/sh`, with `"$@"` for the arguments. Default: false, without a shell. */
  readonly shell?: boolean;
  /** The program's standard input. Default: empty. */
  readonly input?: (job: CommandJob) => string;
  /**
   * The sandbox of the program. In it, the program has a user and processes of its own. It can read the files of the
   * system, and has its workspace and an empty /tmp: it sees neither the worker's environment nor another workspace.
   * Default: 'auto', confined where a sandbox works.
   */
  readonly sandbox?: SandboxSetting;
  /** Absolute paths that a confined program may read besides /usr and the like, for example its own settings. */
  readonly readable?: readonly string[];
  /**
   * 'none' needs a sandbox. Default: 'host', because a coding agent needs its model. The program can then reach every
   * service on this machine, such as a Redis without a password.
   */
  readonly network?: 'host' | 'none';
  /**
   * The program's environment. Nothing of the worker's environment is added; only PATH
   * (`/usr/local/bin:/usr/bin:/bin`), SWITCHYARD_TASK_ID, SWITCHYARD_CONTEXT_ID and SWITCHYARD_ATTEMPT are set unless
   * given. Without a sandbox a program can still read the worker's environment from /proc.
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Folder of the workspaces, one per task; a relative path counts from the worker's working directory. On a volume
   * that all workers share, a turn can move between machines.
   */
  readonly workspaceRoot: string;
  /** The contents of CONTEXT.md, INSTRUCTIONS.md and SPECS.md. Default: the message as the instructions. */
  readonly briefing?: (turn: Turn) => Briefing | Promise<Briefing>;
  /**
   * The outcome of a successful program. Default: if it wrote a QUESTION.md, the client is asked; otherwise the task is
   * completed.
   */
  readonly toOutcome?: (run: CommandRun) => Promise<Outcome>;
  /** Which files become artifacts. Default: every new or changed one that is not hidden, within the limits. */
  readonly files?: FileSettings;
  /** After this time the program is ended and the task fails. Keep it below `turnTimeoutMs`. Default: 540,000. */
  readonly timeoutMs?: number;
  /** If the program writes more output, it is ended and the task fails. Default: 262,144. */
  readonly outputLimitBytes?: number;
  /** Shortest time between two updates with new output. Default: 2,000. */
  readonly updateEveryMs?: number;
  /** Time from SIGTERM to SIGKILL. Default: 3,000. */
  readonly killAfterMs?: number;
  /**
   * How long a program may run after its worker died or was restarted, so that the next attempt on this machine can
   * take it over instead of starting it again. Default: 15,000. 0: the program ends with its worker.
   */
  readonly orphanTimeoutMs?: number;
  /** A workspace that no turn has used for this long is removed. Default: 7 days, as long as a task is kept. */
  readonly retentionMs?: number;
}

const {
  any,
  anyText,
  atLeast,
  either,
  fields,
  flag,
  function: aFunction,
  listOf,
  oneOf,
  recordOf,
  required,
  text,
} = settingCheck;

/** For `checkSettings`. Times are checked with the executor. */
export const commandChecks = {
  command: required(text),
  args: either(listOf(anyText), aFunction),
  shell: flag,
  input: aFunction,
  sandbox: either(
    oneOf('auto', 'required', 'off'),
    settingCheck.that((value) => typeof Object(value).wrap === 'function', 'must be a sandbox with wrap()'),
  ),
  readable: listOf(text),
  network: oneOf('host', 'none'),
  env: recordOf(anyText),
  workspaceRoot: required(text),
  briefing: aFunction,
  toOutcome: aFunction,
  files: fields({
    include: listOf(text),
    exclude: listOf(text),
    maxFiles: atLeast(0),
    maxInlineBytes: atLeast(0),
    maxTotalInlineBytes: atLeast(0),
    maxFileBytes: atLeast(0),
  } satisfies Record<keyof FileSettings, SettingCheck>),
  timeoutMs: any,
  outputLimitBytes: atLeast(0),
  updateEveryMs: any,
  killAfterMs: any,
  orphanTimeoutMs: any,
  retentionMs: atLeast(0),
} satisfies Record<keyof CommandSettings, SettingCheck>;

type Time = 'timeoutMs' | 'updateEveryMs' | 'killAfterMs' | 'orphanTimeoutMs';
type Limit = Time | 'outputLimitBytes' | 'retentionMs' | 'files';

/** The settings with all defaults. */
export type FullCommandSettings = CommandSettings & Required<Pick<CommandSettings, Limit>>;

export const defaultTimes: Required<Pick<CommandSettings, Time>> = {
  timeoutMs: 540_000,
  updateEveryMs: 2_000,
  killAfterMs: 3_000,
  orphanTimeoutMs: 15_000,
};

export const defaultLimits: Required<Pick<CommandSettings, Exclude<Limit, Time>>> = {
  outputLimitBytes: 262_144,
  retentionMs: 7 * 24 * 3_600_000,
  files: {},
};
