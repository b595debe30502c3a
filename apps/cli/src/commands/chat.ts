import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { quoted, visible } from '@switchyard/settings/terminal';
import type { Command } from 'commander';
import type { Agent } from '../agent/agent.ts';
import { isTerminal, type Part, type StreamResponse, stateOf } from '../agent/objects.ts';
import { callFailure } from '../failures/call-failure.ts';
import { CommandFailure } from '../failures/failure.ts';
import { Transcript } from '../output/transcript.ts';
import {
  type AgentSession,
  continued,
  type Invocation,
  lacksData,
  nextCommand,
  optionsText,
  waitingOf,
  withAgent,
} from '../session/session.ts';
import { exchange } from './send.ts';

/** `chat`: a conversation, line by line. Piped lines are sent in the same way, without a prompt. */
export function addChatCommand(program: Command, invocation: Invocation): void {
  // The default agent of `npm start`.
  const env = { A2ACLI_API_KEY: invocation.env.API_KEY, ...invocation.env };
  program
    .command('chat')
    .description('chat with an agent, line by line')
    .addHelpText('after', '\nAPI_KEY is another name for A2ACLI_API_KEY here.')
    .action((_, command: Command) =>
      withAgent({ ...invocation, env }, command, async (session, agent) => {
        if (invocation.stdin.isTTY && !invocation.isTerminal.out)
          throw new CommandFailure('A2ACLI_ERR_USAGE', 'chat needs a terminal to write to', {
            hint: 'switchyard send "Hello"',
          });
        const failures = await chat(session, agent);
        if (invocation.stopped.aborted) throw invocation.stopped.reason;
        const [first] = failures;
        if (!first) return;
        const count = failures.length === 1 ? '1 line was' : `${failures.length} lines were`;
        const { code, message, a2aCode, hint, exitCode } = first;
        throw new CommandFailure(code, `${count} not answered: ${message}`, { a2aCode, hint, exitCode, cause: first });
      }),
    );
}

/** @returns why lines were not answered */
async function chat(session: AgentSession, agent: Agent): Promise<readonly CommandFailure[]> {
  const { invocation, options } = session;
  const { stdin: input, stdout: output } = invocation;
  const isInteractive = input.isTTY === true;
  const lines = createInterface({ input, output, terminal: isInteractive, prompt: 'you> ' });
  let isOpen = true;
  lines.once('close', () => {
    isOpen = false;
  });
  // At a terminal readline gets Ctrl-C instead of the process, which must stop waiting for the agent.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  invocation.stopped.addEventListener('abort', () => lines.close(), { once: true });
  const prompt = (): void => {
    if (isInteractive && isOpen) lines.prompt();
  };
  if (isInteractive) {
    output.write(visible(`Talking to ${agent.card.name} at ${options.agentCard}. /help, /quit\n`));
    if (agent.exampleData) output.write(visible(`${dataHint(agent.exampleData)}\n`));
  }
  const conversation = new Conversation(session, agent);
  const failures: CommandFailure[] = [];
  prompt();
  for await (const line of lines) {
    const word = isInteractive ? line.trim().toLowerCase() : '';
    if (word === '/quit' || word === '/exit') break;
    if (word === '/new') output.write(conversation.begin());
    else if (word === '/help') output.write(commandHelp);
    else if (line.trim()) failures.push(...(await conversation.say(line)));
    prompt();
  }
  lines.close();
  conversation.sayHowToContinue();
  return failures;
}

const dataHint = (example: string): string => `A task begins with data, as JSON: ${example}`;

/** Only at a terminal: a piped line may begin with a slash. */
const commandHelp = `/new   begin another conversation: the agent forgets this one
/quit  end (also Ctrl-D); a task that is open stays open
/help  print this
Any other line is sent to the agent. Ctrl-C stops waiting for it.
`;

/** Keeps the context across turns, and the task while it is open. */
class Conversation {
  readonly #session: AgentSession;
  readonly #agent: Agent;
  #transcript = new Transcript();
  #contextId: string | undefined;
  #taskId: string | undefined;

  constructor(session: AgentSession, agent: Agent) {
    this.#session = session;
    this.#agent = agent;
    this.#contextId = session.options.contextId;
    this.#taskId = session.options.taskId;
  }

  /** Another context, and no task. @returns what to print */
  begin(): string {
    this.#contextId = undefined;
    this.#endTask();
    return 'The next line begins another conversation.\n';
  }

  /** The command line keeps no state: the ids are in the command that continues. */
  sayHowToContinue(): void {
    const { output, invocation } = this.#session;
    if (invocation.stopped.aborted) return;
    const chat = continued(this.#session, 'chat');
    if (this.#taskId !== undefined)
      output.note(`The task is open. Continue it: ${chat} --task-id ${quoted(this.#taskId)}`);
    else if (this.#contextId !== undefined) output.note(`Continue: ${chat} --context-id ${quoted(this.#contextId)}`);
  }

  /** Sends a line, and prints the agent's answer as it comes. @returns why it was not answered */
  async say(text: string): Promise<readonly CommandFailure[]> {
    const { stdout, stopped } = this.#session.invocation;
    const messageId = randomUUID();
    let isAnswered = false;
    try {
      for await (const event of this.#exchange(text, messageId)) {
        isAnswered = true;
        stdout.write(this.#transcript.add(event));
        this.#keepIds(event);
      }
      return [];
    } catch (error) {
      const failure = this.#explained(callFailure(error, this.#session.call.signal));
      const { code, message, hint } = failure;
      if (code === 'TaskNotFoundError' || code === 'UnsupportedOperationError') this.#endTask();
      stdout.write(visible(`! ${message}${hint ? ` (${hint})` : ''}\n`));
      if (stopped.aborted && this.#taskId !== undefined)
        stdout.write(visible(`The task goes on: ${nextCommand({ id: this.#taskId }, this.#session)}\n`));
      else if (stopped.aborted && !isAnswered) stdout.write(visible(this.#howToRepeat(text, messageId)));
      return [failure];
    }
  }

  #explained(failure: CommandFailure): CommandFailure {
    const { exampleData } = this.#agent;
    if (exampleData === undefined || !lacksData(failure)) return failure;
    const { code, message, a2aCode } = failure;
    return new CommandFailure(code, message, { a2aCode, hint: dataHint(exampleData), cause: failure });
  }

  /** The agent may have the message: the same message again gets the first answer, if the agent knows its id. */
  #howToRepeat(text: string, messageId: string): string {
    if (!this.#agent.knowsMessageIds) return `The agent may have it: ${continued(this.#session, 'task list')}\n`;
    const content = 'data' in this.#part(text) ? `--data ${quoted(text)}` : quoted(text);
    const context = optionsText({ 'context-id': this.#contextId, 'message-id': messageId });
    return `The agent may have it. Its answer: ${continued(this.#session, 'send')}${context} ${content}\n`;
  }

  #exchange(text: string, messageId: string): AsyncIterable<StreamResponse> {
    const ids = {
      ...(this.#contextId !== undefined && { contextId: this.#contextId }),
      ...(this.#taskId !== undefined && { taskId: this.#taskId }),
    };
    const message = { messageId, role: 'ROLE_USER', parts: [this.#part(text)], ...ids };
    return exchange(this.#agent, { message, configuration: {} }, waitingOf(this.#session, this.#agent));
  }

  /** The data that a task begins with, if the agent works on data and the line is JSON; else a text. */
  #part(line: string): Part {
    if (this.#agent.exampleData === undefined || this.#taskId !== undefined) return { text: line };
    try {
      return { data: JSON.parse(line) };
    } catch {
      return { text: line };
    }
  }

  #keepIds({ task, message, statusUpdate, artifactUpdate }: StreamResponse): void {
    this.#contextId = (task ?? message ?? statusUpdate ?? artifactUpdate)?.contextId ?? this.#contextId;
    this.#taskId = task?.id ?? statusUpdate?.taskId ?? this.#taskId;
    const state = task ?? statusUpdate;
    if (state && isTerminal(stateOf(state))) this.#endTask();
  }

  #endTask(): void {
    this.#taskId = undefined;
    this.#transcript = new Transcript();
  }
}
