import { AgentError } from './turn-errors.ts';

/** What a task may spend on models, with all tasks that its agent calls, and theirs. */
export interface Budget {
  /** Millionths of a US dollar: 2,000,000 is 2 USD. Requests without a known price cost nothing. Default: no limit. */
  readonly microUsd?: number;
  /** Tokens, of the input and the output. Default: no limit. */
  readonly tokens?: number;
  /**
   * `fail`: a task that has spent its budget fails. `ask`: it asks its client. After "yes" it may spend as much
   * again, and goes on with what its steps have done; after "no" it fails. Default: `fail`.
   */
  readonly whenSpent?: 'fail' | 'ask';
}

/** A budget that is spent. */
export interface BudgetNotice {
  /** For the client. */
  readonly text: string;
  /** The client is asked whether the task may go on. */
  readonly asks: boolean;
}

/** The client's answer to the question whether its task may go on. */
export interface BudgetAnswer {
  readonly says: 'yes' | 'no' | 'unclear';
  /** Of the answer. */
  readonly messageId: string;
  /** What the client was asked. */
  readonly question: string;
}

/**
 * A request was not made, because a budget is spent. The turn ends: do not catch it, except to clean up. Its message is
 * for the client.
 *
 *     await checkBudget().catch(async (error) => {
 *       if (error instanceof BudgetSpent) await turn.working('Not asking any further.');
 *       throw error;
 *     });
 */
export class BudgetSpent extends AgentError {
  /** The client is asked whether the task may go on. */
  readonly asks: boolean;

  constructor({ text, asks }: BudgetNotice) {
    super(text);
    this.asks = asks;
  }
}
