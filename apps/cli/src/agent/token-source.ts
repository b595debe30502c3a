/** The token of a login, for the calls of a command. */
export interface TokenSource {
  /** A token that is valid for now. @throws {CommandFailure} the login has ended */
  current(): Promise<string>;
  /** Another token instead of one that the agent has refused. Undefined: there is none. @throws {CommandFailure} */
  replacementOf(refused: string): Promise<string | undefined>;
}
