import type { TurnJournal } from '../journal/turn-journal.ts';
import type { ConversationEvent } from '../port/conversation-event.ts';
import type { TurnPort } from '../port/turn-port.ts';

interface RecordedMessage {
  readonly turn: number;
  readonly text: string;
  readonly taskId: string;
}

/** Writes the numbered events of one conversation, so that a retried turn adds none twice. */
export class ConversationRecord {
  readonly id: string;
  readonly texts: string[] = [];
  readonly #port: TurnPort;
  readonly #journal: TurnJournal;
  readonly #toAgent: string;
  readonly #maxTurns: number;
  #seq = 0;

  constructor(
    { port, journal }: { port: TurnPort; journal: TurnJournal },
    conversation: { id: string; toAgent: string; maxTurns: number },
  ) {
    this.#port = port;
    this.#journal = journal;
    this.id = conversation.id;
    this.#toAgent = conversation.toAgent;
    this.#maxTurns = conversation.maxTurns;
  }

  message({ turn, text, taskId }: RecordedMessage): Promise<void> {
    this.texts.push(text);
    return this.#add({ ...this.#speakerOf(turn), turn, maxTurns: this.#maxTurns, text, phase: 'turn', taskId });
  }

  failed(turn: number, error: string, taskId?: string): Promise<void> {
    return this.#add({
      ...this.#speakerOf(turn),
      phase: 'error',
      turn,
      error,
      ...(taskId !== undefined && { taskId }),
    });
  }

  completed(): Promise<void> {
    return this.#add({ ...this.#speakerOf(0), phase: 'complete' });
  }

  /** The agent that began the conversation has the even turns. */
  #speakerOf(turn: number): { conversationId: string; fromAgent: string; toAgent: string } {
    const [own, other] = [this.#port.input.agent, this.#toAgent];
    const [fromAgent, toAgent] = turn % 2 === 0 ? [own, other] : [other, own];
    return { conversationId: this.id, fromAgent, toAgent };
  }

  #add(event: ConversationEvent): Promise<void> {
    const seq = ++this.#seq;
    return this.#journal.runEffect(() => this.#port.conversations.append(seq, event));
  }
}
