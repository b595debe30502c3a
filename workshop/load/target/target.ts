import type { AgentInterface } from '@switchyard/protocol';

/** What is put under load. */
export interface Target {
  /** Base URL of the gateway or agent, or the URL of its card, as it was given. */
  readonly url: URL;
  /** One of the agents of a gateway; unset: the one at its root. */
  readonly agent: string | undefined;
}

/** The agent that a target leads to, and how it is spoken to. */
export interface FoundAgent {
  readonly name: string;
  readonly endpoint: URL;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly tenant: AgentInterface['tenant'];
  /** Sent with every request: names and values in turn. */
  readonly headers: readonly string[];
}

/** The run cannot begin; the message says what is to be done. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
}
