/** What a turn has long to wait for, as operators see it. */
export interface LongWait {
  /** `limit`: room of a limit, such as that of a model. `remote-agent`: an agent elsewhere, which cannot be reached. */
  readonly for: 'limit' | 'remote-agent';
  /** The name of the limit; why the agent cannot be reached. */
  readonly text: string;
}
