import { type Agent, defineAgent, type Turn } from '@switchyard/agent';

/** A turn that the test controls. */
export interface LedTurn {
  readonly turn: Turn;
  complete(): void;
}

export interface LedAgent {
  readonly agent: Agent;
  /** Resolves with the next turn that begins. */
  next(): Promise<LedTurn>;
}

/** An agent that the test controls for the message `led`; it asks back for `ask`, and completes any other message. */
export function ledAgent(): LedAgent {
  const begun: LedTurn[] = [];
  const waiting: ((turn: LedTurn) => void)[] = [];
  const agent = defineAgent({
    id: 'led',
    card: { name: 'Led', description: 'Does what the test says.', version: '1.0.0', skills: [] },
    concurrency: 10,
    async execute(turn) {
      if (turn.text === 'ask') return turn.requireInput('What?');
      if (turn.text !== 'led') {
        await turn.working();
        return turn.complete();
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const led = { turn, complete: resolve };
      const asker = waiting.shift();
      if (asker) asker(led);
      else begun.push(led);
      await promise;
      return turn.complete();
    },
  });
  return {
    agent,
    next() {
      const led = begun.shift();
      return led ? Promise.resolve(led) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}
