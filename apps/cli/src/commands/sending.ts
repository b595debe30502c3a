import { quoted } from '@switchyard/settings/terminal';
import type { Agent } from '../agent/agent.ts';
import type { Task } from '../agent/objects.ts';
import { isCutOff } from '../failures/call-failure.ts';
import { CommandFailure } from '../failures/failure.ts';
import { type AgentSession, continued, lacksData, nextCommand, programOf } from '../session/session.ts';
import { longFlag, type OptionSpec, optionSpecs } from '../settings/options.ts';
import { withFlags } from './schedule.ts';

/** A message on its way: a caller that stops waiting must find its task again, or repeat the message safely. */
export class Sending {
  readonly #session: AgentSession;
  readonly #agent: Agent;
  readonly #messageId: string;
  #task: { readonly id: string; readonly contextId: string | undefined } | undefined;

  constructor(session: AgentSession, agent: Agent, messageId: string) {
    this.#session = session;
    this.#agent = agent;
    this.#messageId = messageId;
  }

  learn(task: { readonly id: string; readonly contextId: string | undefined }): void {
    this.#task = task;
  }

  /** After Ctrl-C. */
  sayThatItGoesOn(): void {
    const { invocation, output } = this.#session;
    if (!invocation.stopped.aborted) return;
    if (this.#task) output.note(`\nThe task goes on: ${this.#waitCommand(this.#task.id)}`);
    else output.note(`\n${this.#mayExist()} ${this.#repeatCommand()}`);
  }

  /** A failure with what is known of the task. */
  explained(error: unknown): unknown {
    if (!(error instanceof CommandFailure)) return error;
    const { code, a2aCode, isReported, exitCode, hint: given } = error;
    const isUnknown = code === 'TaskNotFoundError';
    // Its own hint, to try again, would give the agent a second message.
    const isCut = isCutOff(error.cause);
    if (given !== undefined && !isUnknown && !isCut) return error;
    if (lacksData(error)) {
      const hint = `${continued(this.#session, 'send')} ${this.#session.content}`;
      return new CommandFailure(code, error.message, { a2aCode, hint, cause: error });
    }
    const message = withFlags(error.message).replace(/(?<!\.)\.+$/, '');
    const explain = (text: string, hint?: string) =>
      new CommandFailure(code, text, { a2aCode, hint, isReported, exitCode, cause: error });
    if (this.#task) {
      const { id, contextId } = this.#task;
      const text = `${message}. The task is ${id}${contextId ? ` in context ${contextId}` : ''}`;
      return explain(text, this.#waitCommand(id));
    }
    if (isCut || isUnanswered(code)) return explain(`${message}. ${this.#mayExist()}`, this.#repeatCommand());
    const { taskId, contextId } = this.#session.options;
    // If a given task or context is refused, no other one is created.
    if ((taskId ?? contextId) === undefined) return explain(message, given);
    return explain(message, `No task was created. ${given ?? '--debug shows what the agent answered.'}`);
  }

  #mayExist(): string {
    const text = `The agent may have the message ${this.#messageId}.`;
    return this.#agent.knowsMessageIds ? `${text} Sent again with its id, it gets the first answer:` : text;
  }

  /** The same command with the message's id; for an agent that may take it for another message: its list of tasks. */
  #repeatCommand(): string {
    if (!this.#agent.knowsMessageIds) return continued(this.#session, 'task list');
    const { args } = this.#session.invocation;
    const at = args.indexOf('send') + 1;
    const again = args.includes('--message-id') ? args : args.toSpliced(at, 0, '--message-id', this.#messageId);
    return [programOf(this.#session), ...withoutTimeout(again).map(quoted)].join(' ');
  }

  #waitCommand(id: string): string | undefined {
    const task: Task = { id, status: { state: 'TASK_STATE_WORKING' } };
    return nextCommand(task, this.#session);
  }
}

/** The agent may have got the message. */
function isUnanswered(code: CommandFailure['code']): boolean {
  return code === 'A2ACLI_ERR_TIMEOUT' || code === 'A2ACLI_ERR_INTERNAL' || code === 'InvalidAgentResponseError';
}

const secretFlags = Object.values<OptionSpec>(optionSpecs).flatMap((spec) => (spec.isSecret ? [longFlag(spec)] : []));

/** Without `--timeout`, which has just expired, and without credentials: the terminal may be recorded. */
function withoutTimeout(args: readonly string[]): readonly string[] {
  const dropped = ['--timeout', ...secretFlags];
  return args.filter((arg, at) => {
    const before = args[at - 1] ?? '';
    return !dropped.includes(arg) && !dropped.includes(before) && !dropped.some((flag) => arg.startsWith(`${flag}=`));
  });
}
