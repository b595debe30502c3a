import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { quoted } from '@switchyard/settings/quoted';
import type { Command } from 'commander';
import type { Agent } from '../agent/agent.ts';
import { isTerminal, type StreamResponse, stateOf } from '../agent/objects.ts';
import { callFailure } from '../failures/call-failure.ts';
import { CommandFailure } from '../failures/failure.ts';
import { visible } from '../output/labelled-text.ts';
import { Transcript } from '../output/transcript.ts';
import {
  continued,
  type Invocation,
  nextCommand,
  optionsText,
  type Session,
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
        const isAnswered = await chat(session, agent);
        if (invocation.stopped.aborted) throw invocation.stopped.reason;
        if (!isAnswered) throw new CommandFailure('A2ACLI_ERR_INTERNAL', 'Not every line was answered');
      }),
    );
}

/** @returns whether every line was answered */
async function chat(session: Session, agent: Agent): Promise<boolean> {
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
  if (isInteractive) output.write(visible(`Talking to ${agent.card.name} at ${options.agentCard}. /help, /quit\n`));
  const conversation = new Conversation(session, agent);
  let isAnswered = true;
  prompt();
  for await (const line of lines) {
    const word = isInteractive ? line.trim().toLowerCase() : '';
    if (word === '/quit' || word === '/exit') break;
    if (word === '/new') output.write(conversation.begin());
    else if (word === '/help') output.write(commandHelp);
    else if (line.trim()) isAnswered = (await conversation.say(line)) && isAnswered;
    prompt();
  }
  lines.close();
  conversation.sayHowToContinue();
  return isAnswered;
}

/** Only at a terminal: a piped line may begin with a slash. */
const commandHelp = `/new   begin another conversation: the agent forgets this one
/quit  end (also Ctrl-D); a task that is open stays open
/help  print this
Any other line is sent to the agent. Ctrl-C stops waiting for it.
`;

/** Keeps the context across turns, and the task while it is open. */
class Conversation {
  readonly #session: Session;
  readonly #agent: Agent;
  #transcript = new Transcript();
  #contextId: string | undefined;
  #taskId: string | undefined;

  constructor(session: Session, agent: Agent) {
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

  /** Sends a line, and prints the agent's answer as it comes. @returns whether it was answered */
  async say(text: string): Promise<boolean> {
    const { stdout, stopped } = this.#session.invocation;
    const messageId = randomUUID();
    let isAnswered = false;
    try {
      for await (const event of this.#exchange(text, messageId)) {
        isAnswered = true;
        stdout.write(this.#transcript.add(event));
        this.#keepIds(event);
      }
      return true;
    } catch (error) {
      const { code, message, hint } = callFailure(error, this.#session.call.signal);
      if (code === 'TaskNotFoundError' || code === 'UnsupportedOperationError') this.#endTask();
      stdout.write(visible(`! ${message}${hint ? ` (${hint})` : ''}\n`));
      if (stopped.aborted && this.#taskId !== undefined)
        stdout.write(`The task goes on: ${nextCommand({ id: this.#taskId }, this.#session)}\n`);
      else if (stopped.aborted && !isAnswered) stdout.write(this.#howToRepeat(text, messageId));
      return false;
    }
  }

  /** The agent may have the message: the same message again gets the first answer, if the agent knows its id. */
  #howToRepeat(text: string, messageId: string): string {
    if (!this.#agent.knowsMessageIds) return `The agent may have it: ${continued(this.#session, 'task list')}\n`;
    const context = optionsText({ 'context-id': this.#contextId, 'message-id': messageId });
    return `The agent may have it. Its answer: ${continued(this.#session, 'send')}${context} ${quoted(text)}\n`;
  }

  #exchange(text: string, messageId: string): AsyncIterable<StreamResponse> {
    const ids = {
      ...(this.#contextId !== undefined && { contextId: this.#contextId }),
      ...(this.#taskId !== undefined && { taskId: this.#taskId }),
    };
    const message = { messageId, role: 'ROLE_USER', parts: [{ text }], ...ids };
    return exchange(this.#agent, { message, configuration: {} }, waitingOf(this.#session, this.#agent));
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
