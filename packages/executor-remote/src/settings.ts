import type { Turn } from '@switchyard/agent';
import type { AgentCard } from '@switchyard/protocol';
import type { CardVerifier } from '@switchyard/signatures';

type HeaderFields = Readonly<Record<string, string>>;

/** Where the agent is: its card, or where that is to be had. */
export type RemoteLocation =
  | {
      /** The whole address: `https://agents.example.com/.well-known/agent-card.json`. */
      readonly cardUrl: string;
      readonly card?: never;
    }
  | { readonly card: AgentCard; readonly cardUrl?: never };

/** Times in milliseconds. */
export type RemoteSettings = RemoteLocation & {
  /** Sent with every request, for example an Authorization. The turn is undefined for the request for the card. */
  readonly headers?: HeaderFields | ((turn: Turn | undefined) => HeaderFields | Promise<HeaderFields>);
  /**
   * Relies on the agent's card only if this one does (`@switchyard/signatures`). Default: any card is taken that the
   * URL leads to.
   */
  readonly cardVerifier?: Pick<CardVerifier, 'verify'>;
  /** Which of the agent's bindings to use. Default: the first of its card that is one of the two. */
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';
  /**
   * Between two questions for a task that cannot be streamed, and between two attempts to take up a stream. Default:
   * 1,000.
   */
  readonly pollEveryMs?: number;
  /**
   * How long an agent that cannot be reached is waited for, before an attempt at the turn is given up. Default: 60,000.
   */
  readonly retryBudgetMs?: number;
  /** A stream that brings nothing for so long is taken up anew: its other end may be gone. Default: 60,000. */
  readonly idleTimeoutMs?: number;
  /**
   * How long the turn waits for an authorization, before it leaves that to the client's next message. Default: 60,000.
   */
  readonly authWaitMs?: number;
  /** Longest wait for an answer that is no stream. Default: 60,000. */
  readonly requestTimeoutMs?: number;
};

type Time = 'pollEveryMs' | 'retryBudgetMs' | 'idleTimeoutMs' | 'authWaitMs' | 'requestTimeoutMs';
export type FullRemoteSettings = RemoteSettings & Required<Pick<RemoteSettings, Time>>;

export const defaultTimes: Required<Pick<RemoteSettings, Time>> = {
  pollEveryMs: 1_000,
  retryBudgetMs: 60_000,
  idleTimeoutMs: 60_000,
  authWaitMs: 60_000,
  requestTimeoutMs: 60_000,
};

export async function headersFor({ headers = {} }: RemoteSettings, turn?: Turn): Promise<HeaderFields> {
  return typeof headers === 'function' ? headers(turn) : headers;
}
