import { conversationsUri } from '@switchyard/protocol';
import { CallError } from '../calls/call-error.ts';
import { type CallReply, isAnswer } from '../calls/call-reply.ts';
import { checkTimeout, outgoingCall } from '../calls/outgoing-call.ts';
import type { TurnCalls } from '../calls/turn-calls.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import { type ConversationPosition, endOfConversation } from '../port/conversation-event.ts';
import { RetryableError, TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';
import type { TurnSteps } from '../steps/turn-steps.ts';
import type { ConversationOptions, ConversationResult } from './conversation-options.ts';
import { ConversationRecord } from './conversation-record.ts';

export interface ConversationDependencies {
  readonly port: TurnPort;
  readonly journal: TurnJournal;
  readonly steps: TurnSteps;
  readonly calls: TurnCalls;
}

/**
 * Holds a conversation until its end. This agent's texts are stored as steps, the other agent's as replies to calls, so
 * that the same conversation goes on after a crash.
 */
export async function holdConversation(
  dependencies: ConversationDependencies,
  toAgent: string,
  options: ConversationOptions,
): Promise<ConversationResult> {
  const { port, journal } = dependencies;
  const { maxTurns = 5 } = options;
  if (!Number.isInteger(maxTurns) || maxTurns < 1 || maxTurns > 100)
    throw new TurnMisuseError(
      `The maxTurns of a conversation is ${maxTurns} and must be a whole number from 1 to 100.`,
    );
  checkTimeout(options.timeoutMs);
  const { scope } = journal;
  const number = scope.number('conversation', toAgent);
  const seed = JSON.stringify([port.input.task.id, port.input.message.messageId, scope.step, toAgent, number]);
  const id = await journal.runEffect(() => port.conversations.open({ seed, toAgent, maxTurns }));
  const record = new ConversationRecord({ port, journal }, { id, toAgent, maxTurns });
  return new Exchange(dependencies, { toAgent, options, maxTurns, record }).run();
}

interface Settings {
  readonly toAgent: string;
  readonly options: ConversationOptions;
  readonly maxTurns: number;
  readonly record: ConversationRecord;
}

/** A turn that failed. */
interface Failure {
  readonly turn: number;
  readonly error: string;
  readonly taskId?: string;
}

class Exchange {
  readonly #dependencies: ConversationDependencies;
  readonly #settings: Settings;

  constructor(dependencies: ConversationDependencies, settings: Settings) {
    this.#dependencies = dependencies;
    this.#settings = settings;
  }

  async run(): Promise<ConversationResult> {
    const { maxTurns, record } = this.#settings;
    let lastReply: CallReply | undefined;
    for (let turn = 0; ; turn += 2) {
      const text = await this.#speak(turn, lastReply);
      if (isEnd(text)) return this.#end('by-agent');
      const delivered = await this.#deliver({ turn, text, lastReply });
      // The last message is delivered, but its reply is not part of the conversation.
      if (turn === maxTurns && !(isFailure(delivered) && delivered.turn === turn)) return this.#end('max-turns');
      if (isFailure(delivered)) return this.#fail(delivered);
      if (isEnd(delivered.text)) return this.#end('by-agent');
      lastReply = delivered;
      await record.message({ turn: turn + 1, text: lastReply.text, taskId: lastReply.taskId });
      if (turn + 1 === maxTurns) return this.#end('max-turns');
    }
  }

  /** This agent's text for a turn. */
  async #speak(turn: number, lastReply: CallReply | undefined): Promise<string> {
    const { toAgent, options, record } = this.#settings;
    const textOf = () =>
      lastReply
        ? options.reply({
            conversationId: record.id,
            turn: turn - 1,
            text: lastReply.text,
            texts: [...record.texts],
            reply: lastReply,
          })
        : options.message;
    try {
      return await this.#dependencies.steps.run(`conversation ${record.id} with ${toAgent}: turn ${turn}`, textOf);
    } catch (error) {
      if (this.#isFinal(error)) await this.#fail({ turn, error: 'The agent failed.' });
      throw error;
    }
  }

  /** Whether the conversation ends with this error; otherwise the turn is retried, or another run has taken it over. */
  #isFinal(error: unknown): boolean {
    const { journal, port } = this.#dependencies;
    if (journal.signal.aborted || journal.portError !== undefined) return false;
    return !(error instanceof RetryableError) || port.input.isLastAttempt;
  }

  /** Sends this agent's text to the other agent, and returns the reply. */
  async #deliver(own: OwnMessage): Promise<CallReply | Failure> {
    const { calls } = this.#dependencies;
    const { options, record } = this.#settings;
    const { turn, text } = own;
    const call = this.#callFor(own);
    let taskId: string | undefined;
    const place = async () => {
      const placed = await calls.place(call);
      taskId = placed.taskId;
      await record.message({ turn, text, taskId });
      return placed;
    };
    try {
      const reply = await calls.noted(call.agent, calls.replyTo(call, place, options.timeoutMs));
      if (taskId === undefined) await record.message({ turn, text, taskId: reply.taskId });
      return isAnswer(reply) ? reply : { turn: turn + 1, error: reply.text || reply.state, taskId: reply.taskId };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const calledTask = taskId ?? error.taskId;
      if (calledTask === undefined) return { turn, error: error.message };
      return { turn: turn + 1, error: error.message, taskId: calledTask };
    }
  }

  #callFor({ turn, text, lastReply }: OwnMessage) {
    const { port, journal } = this.#dependencies;
    const { toAgent, maxTurns, record } = this.#settings;
    const about: ConversationPosition = { conversationId: record.id, fromAgent: port.input.agent, turn, maxTurns };
    const content = { parts: [{ text }], metadata: { [conversationsUri]: about }, extensions: [conversationsUri] };
    const options = {
      name: `${record.id} ${turn}`,
      extensions: [conversationsUri],
      ...(lastReply?.state === 'TASK_STATE_INPUT_REQUIRED' && { taskId: lastReply.taskId }),
      ...(lastReply && { referenceTaskIds: [lastReply.taskId] }),
    };
    return outgoingCall(port, journal.scope, { agent: toAgent, content, options });
  }

  async #fail({ turn, error, taskId }: Failure): Promise<ConversationResult> {
    await this.#settings.record.failed(turn, error, taskId);
    return { ...(await this.#end('error')), error };
  }

  async #end(ended: ConversationResult['ended']): Promise<ConversationResult> {
    const { record } = this.#settings;
    await record.completed();
    return { conversationId: record.id, ended, texts: record.texts };
  }
}

interface OwnMessage {
  readonly turn: number;
  readonly text: string;
  /** The reply that it answers. */
  readonly lastReply: CallReply | undefined;
}

const isFailure = (delivered: CallReply | Failure): delivered is Failure => 'error' in delivered;
const isEnd = (text: string): boolean => text.trim() === endOfConversation;
