import { isAbsolute, resolve } from 'node:path';
import { type Execute, type Outcome, type Turn, timesOf } from '@switchyard/agent';
import { checkSettings } from '@switchyard/agent/runtime';
import { attachFiles, restoreFiles } from './attach-files.ts';
import { contributions } from './briefing.ts';
import { followProgram } from './follow-program.ts';
import type { Launch } from './guard.ts';
import { changedFiles, listFiles } from './list-files.ts';
import { readable } from './output-text.ts';
import { Program } from './program.ts';
import { type Confine, confinement } from './sandbox/confine.ts';
import type { SandboxPaths } from './sandbox/sandbox.ts';
import {
  type CommandRun,
  type CommandSettings,
  commandChecks,
  defaultLimits,
  defaultTimes,
  type FullCommandSettings,
} from './settings.ts';
import { Workspace, workspaceRetirement } from './workspace.ts';

const tailBytes = 4_096;
/** Files that were left out, in the answer: a program may make thousands. */
const maxListed = 50;

/**
 * An executor that runs a command line program for every turn, such as a coding agent, in a workspace per task.
 *
 * The program reads CONTEXT.md, INSTRUCTIONS.md and, if other agents have contributed, SPECS.md. Its output is streamed
 * as working updates, files that it created or changed become artifacts. Exit code 0 completes the task, 75 retries the
 * turn, any other fails the task. A program runs once for each message, even if workers die meanwhile: the next attempt
 * takes it over, running or finished. Cancel, the time limit and the output limit end its whole process group. Needs
 * /bin/sh.
 * @throws {TypeError} a setting is wrong; a path of `readable` is not absolute: a program could put a link there; or a time is longer than a
 *   timer
 */
export function commandExecutor(given: CommandSettings): Execute {
  checkSettings('commandExecutor', given, commandChecks);
  // The program starts in its workspace, where a relative path would be another one.
  const workspaceRoot = resolve(given.workspaceRoot);
  const settings: FullCommandSettings = { ...defaultLimits, ...given, ...timesOf(given, defaultTimes), workspaceRoot };
  const relative = settings.readable?.find((path) => !isAbsolute(path));
  if (relative !== undefined) throw new TypeError(`readable: ${relative} is not an absolute path`);
  const retireWorkspaces = workspaceRetirement(settings.workspaceRoot, settings.retentionMs);
  const confine = confinement(settings.sandbox);
  return async (turn) => {
    await retireWorkspaces();
    return runTurn(turn, settings, confine);
  };
}

async function runTurn(turn: Turn, settings: FullCommandSettings, confine: Confine): Promise<Outcome> {
  const workspace = new Workspace(settings.workspaceRoot, turn.task.id);
  if (await workspace.open()) await restoreFiles(workspace, turn);
  const list = () => listFiles(workspace.path, settings.files);
  const { messageId } = turn.message;
  const before = await workspace.rememberFiles(messageId, list);
  const program = await Program.open(workspace.runOf(messageId), () =>
    prepare(turn, workspace, { ...settings, confine }),
  );
  await turn.working();
  await followProgram(program, turn, settings);
  const paths = changedFiles(before, await list());
  const attached = await attachFiles(turn, { workspace: workspace.path, paths, limits: settings.files });
  const outputTail = readable(await program.tail(tailBytes));
  const run = { turn, workspace: workspace.path, outputTail, ...attached };
  return settings.toOutcome ? settings.toOutcome(run) : defaultOutcome(run, await workspace.question());
}

async function prepare(
  turn: Turn,
  workspace: Workspace,
  settings: FullCommandSettings & { readonly confine: Confine },
): Promise<Launch> {
  await workspace.receive(turn);
  await workspace.brief(turn, { specs: await contributions(turn), ...(await settings.briefing?.(turn)) });
  const job = { turn, workspace: workspace.path };
  const { command, args = [], input, orphanTimeoutMs } = settings;
  const given = typeof args === 'function' ? args(job) : args;
  const program = settings.shell ? ['/bin/sh', '-c', command, 'sh', ...given] : [command, ...given];
  const confined = await settings.confine(program, sandboxPaths(workspace, settings));
  await turn.confirm();
  return {
    program: confined,
    cwd: workspace.path,
    env: environment(turn, settings),
    input: input?.(job) ?? '',
    orphanTimeoutMs,
  };
}

function sandboxPaths(
  { path }: Workspace,
  { workspaceRoot, readable = [], network = 'host' }: CommandSettings,
): SandboxPaths {
  return { workspaceRoot, workspace: path, readable, network };
}

function environment({ task, attempt }: Turn, { env }: CommandSettings): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    SWITCHYARD_TASK_ID: task.id,
    SWITCHYARD_CONTEXT_ID: task.contextId ?? '',
    SWITCHYARD_ATTEMPT: String(attempt),
    ...env,
  };
}

function defaultOutcome({ turn, files, leftOut }: CommandRun, question: string): Promise<Outcome> {
  if (question) return turn.requireInput(question);
  const made = files.length ? `Done. Files: ${files.join(', ')}.` : 'Done.';
  const missing = leftOut.slice(0, maxListed).map(({ path, why }) => `Not attached: ${path}, because ${why}.`);
  const further = leftOut.length > maxListed ? [`Not attached: ${leftOut.length - maxListed} further files.`] : [];
  return turn.complete([made, ...missing, ...further].join('\n'));
}
