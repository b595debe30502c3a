import type { Turn } from '@switchyard/agent';

/** Tokens for the requests to an agent. */
export interface TokenSource {
  /** A token that is valid for now. @param turn undefined: for the request for the card. @throws {RemoteError} */
  token(turn: Turn | undefined): Promise<string | undefined>;
  /** Another token instead of one that the agent has refused. Undefined: there is none. @throws {RemoteError} */
  replacementOf(refused: string): Promise<string | undefined>;
}
