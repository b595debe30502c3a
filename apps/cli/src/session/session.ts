import type { Server } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { inputIsMissing, waitingUri } from '@switchyard/protocol';
import { quoted, visible } from '@switchyard/settings/terminal';
import type { Command } from 'commander';
import type { Agent } from '../agent/agent.ts';
import { type CallContext, connect } from '../agent/connect.ts';
import { isTerminal, stateOf, type Task } from '../agent/objects.ts';
import { suspendedWaits } from '../agent/suspended.ts';
import type { WaitContext } from '../agent/wait.ts';
import type { Wait } from '../agent/wait-notices.ts';
import { dataFolderOf, programIn, programWithFolder, readAddresses } from '../data-folder/data-folder.ts';
import { callFailure } from '../failures/call-failure.ts';
import { CommandFailure } from '../failures/failure.ts';
import { Output, type Streams } from '../output/output.ts';
import type { Detail } from '../output/task-text.ts';
import { readSettingsFiles } from '../settings/dotenv.ts';
import type { CliOptions } from '../settings/options.ts';
import { requireReadFlags } from '../settings/read-options.ts';
import { type Defaults, type Environment, optionsOf, resolveSettings, type Setting } from '../settings/resolve.ts';
import { loginFor } from './login-for.ts';
import { permitCredentials } from './permit-credentials.ts';

/** A run of the command line: what it gets from its process. */
export interface Invocation {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly folder: string;
  readonly home: string;
  readonly streams: Streams;
  /** The conversation at a terminal. */
  readonly stdout: Writable;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly isTerminal: { readonly out: boolean; readonly err: boolean };
  /** Aborted by the first Ctrl-C. */
  readonly stopped: AbortSignal;
  /** Turns off the verification of TLS certificates. */
  readonly stopVerifyingTls: () => void;
  /** Listens on a free port of 127.0.0.1. @returns the port */
  readonly listen: (server: Server) => Promise<number>;
  /** Names of commands that are separate programs. */
  readonly otherPrograms: readonly string[];
}

/** A running command: its options and its output. */
export interface Session {
  readonly invocation: Invocation;
  readonly options: CliOptions;
  readonly settings: readonly Setting[];
  readonly output: Output;
  readonly call: CallContext;
}

/** A session with its agent. */
export interface AgentSession extends Session {
  /** The arguments of `send` that begin a task, in commands for copying: `"<message>"`, or an example of its data. */
  readonly content: string;
}

/** @throws {CommandFailure} */
export async function openSession(invocation: Invocation, command: Command): Promise<Session> {
  const flags = command.optsWithGlobals();
  requireReadFlags(command, flags);
  const { folder, home } = invocation;
  const notes: string[] = [];
  const onRefused = (line: string): void => void notes.push(line);
  const files = await readSettingsFiles({ config: flags.config, folder, home, onRefused });
  const defaults = await defaultSettings(invocation, onRefused);
  const settings = resolveSettings({ flags: withAliases(flags), env: invocation.env, files, defaults });
  const options = optionsOf(settings);
  const output = new Output(invocation.streams, options);
  for (const line of notes) output.note(line);
  for (const { path, values, isShared } of files)
    if (isShared && (values.A2ACLI_BEARER || values.A2ACLI_API_KEY))
      output.note(`warning: ${path} holds a credential, and others may read it: chmod 600 ${path}`);
  if (options.insecure) {
    output.note('warning: --insecure: TLS certificates are not verified, anyone between may read and answer');
    if (options.bearer || options.apiKey) output.note('warning: --insecure: your credential is sent nevertheless');
    invocation.stopVerifyingTls();
  }
  const signal = deadline(invocation, options);
  const call: CallContext = {
    options,
    log: (line) => output.note(`debug: ${line}`),
    signal,
    permit: (url) => permitCredentials(url, { settings, options }, invocation),
    login: (url) => loginFor(url, { options, place: invocation, note: (line) => output.note(line), signal }),
  };
  return { invocation, options, settings, output, call };
}

/** The agent of the deployment that runs in this folder. */
async function defaultSettings(invocation: Invocation, onRefused: (line: string) => void): Promise<Defaults> {
  const folder = dataFolderOf(invocation);
  const { addresses, problem } = await readAddresses(folder);
  if (problem) onRefused(`warning: ${problem}`);
  return addresses ? { agentCard: { text: addresses.gateway, source: `what runs in ${folder}` } } : {};
}

/** Opens a session, connects to the agent, and runs the command. */
export async function withAgent(
  invocation: Invocation,
  command: Command,
  run: (session: AgentSession, agent: Agent) => Promise<void>,
): Promise<void> {
  const session = await openSession(invocation, command);
  try {
    const agent = await connect(session.call);
    const { exampleData } = agent;
    const content = exampleData === undefined ? '"<message>"' : `--data ${quoted(exampleData)}`;
    await run({ ...session, content }, agent);
  } catch (error) {
    throw error instanceof CommandFailure ? error : callFailure(error, session.call.signal);
  }
}

/** The agent works on data, and the message had none. */
export function lacksData({ code, message }: CommandFailure): boolean {
  return code === 'InvalidParamsError' && message.includes(inputIsMissing);
}

/** Options for waiting for a task. */
export function waitingOf(session: Session, agent: Agent): WaitContext {
  const { options, output, call } = session;
  return {
    agent,
    intervalMs: options.pollInterval,
    signal: call.signal,
    note: (line) => output.note(line),
    onWait: (task, wait) => showWait(session, task, wait),
  };
}

/** What to do while a task waits, by the reasons of docs/extensions/waiting.md. */
const whatToDo: Readonly<Record<string, string>> = {
  'no-worker': 'The message is kept. Start a worker that has the agent, or ask those who operate it.',
  'agent-paused': 'The message is kept until they resume it.',
  'worker-silent': 'If there is no other worker to take over, those who operate the agent must start one.',
  unknown: 'If that lasts, ask those who operate it.',
};

interface Canceled {
  /** To cancel the task is not offered again. */
  readonly isCanceled?: boolean;
}

/** Says what a task waits for: as JSON an event, as text a line on stderr. */
export function showWait(session: Session, task: Task, { isCanceled = false, ...wait }: Wait & Canceled): void {
  const { output, options } = session;
  const { id: taskId, contextId, status } = task;
  if (output.isJson && options.stream) {
    const metadata = { ...Object(task.metadata), [waitingUri]: wait };
    output.result({ statusUpdate: { taskId, contextId, status, metadata } }, () => '');
    return;
  }
  const [event] = suspendedWaits(task.metadata).flatMap((awaited) => awaited.event ?? []);
  const give =
    taskId && event ? ` Give it: ${programOf(session)} task event ${quoted(taskId)} ${quoted(event)} '<JSON>'` : '';
  const cancel = taskId && !isCanceled ? ` Cancel it: ${continued(session, 'task cancel')} ${quoted(taskId)}` : '';
  const since = wait.since === undefined ? '' : ` (since ${wait.since})`;
  const text = `${visible(wait.text).replace(/\.$/, '')}${since}.`;
  output.note(`waiting: ${[text, whatToDo[wait.reason]].filter(Boolean).join(' ')}${give}${cancel}`);
}

export function detailOf(session: AgentSession): Detail {
  return { isVerbose: session.options.verbose, next: (task) => nextCommand(task, session) };
}

/** A command for the same agent, for copying: `continued(session, 'task list')`. */
export function continued(session: Session, command: string): string {
  const agent = callsDefaultAgent(session) ? '' : ` -a ${quoted(session.options.agentCard)}`;
  return `${programOf(session)} ${command}${agent}`;
}

/** How to call this program again: the default agent is the one of the data folder. */
export function programOf(session: Session): string {
  return (callsDefaultAgent(session) ? programWithFolder : programIn)(session.invocation);
}

function callsDefaultAgent({ settings }: Session): boolean {
  return settings.some(({ name, isDefault }) => name === 'agentCard' && isDefault);
}

/** The options in a printed command, quoted: their values may come from an agent. Unset ones are left out. */
export function optionsText(options: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(options)
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${quoted(String(value))}`]))
    .join('');
}

/** The command that continues a task, for copying. */
export function nextCommand(task: Task, session: AgentSession): string | undefined {
  const state = stateOf(task);
  if (isTerminal(state))
    return task.contextId && `${continued(session, 'send')} --context-id ${quoted(task.contextId)} ${session.content}`;
  if (task.id === undefined) return undefined;
  return /INPUT|AUTH/.test(state)
    ? `${continued(session, 'send')} --task-id ${quoted(task.id)} "<reply>"`
    : `${continued(session, 'task get')} --wait ${quoted(task.id)}`;
}

/** A failed task is not a failure of the command; it is reported in addition to the payload. */
export function warnOfOutcome({ output }: Session, task: Task): void {
  const state = stateOf(task);
  if (state === 'TASK_STATE_INPUT_REQUIRED') output.note('warning: the task waits for your reply');
  if (state === 'TASK_STATE_AUTH_REQUIRED') output.note('warning: the task waits for an authorization');
  if (/FAILED|REJECTED|CANCELED/.test(state)) output.note(`warning: the task ended as ${state}`);
}

function withAliases(flags: Readonly<Record<string, unknown>>) {
  const isAsync = flags.async || flags.returnImmediately || flags.wait === false;
  const wait = flags.wait === true || flags.watch;
  if (isAsync && wait) throw new CommandFailure('A2ACLI_ERR_USAGE', '--async and --wait exclude each other');
  if (isAsync && flags.stream) throw new CommandFailure('A2ACLI_ERR_USAGE', '--async and --stream exclude each other');
  return { ...flags, async: isAsync || (wait ? false : undefined), wait: wait || (isAsync ? false : undefined) };
}

function deadline({ stopped }: Invocation, { timeout }: CliOptions): AbortSignal {
  if (timeout === undefined) return stopped;
  const expired = new AbortController();
  const failure = new CommandFailure('A2ACLI_ERR_TIMEOUT', `It took longer than --timeout ${timeout / 1_000}s`);
  setTimeout(() => expired.abort(failure), timeout).unref();
  return AbortSignal.any([stopped, expired.signal]);
}
