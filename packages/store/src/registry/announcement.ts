import type { AgentCard } from '@switchyard/protocol';

/** A worker's announcement of an agent that it can run. */
export interface AgentAnnouncement {
  /** Its name in URLs, keys and queues: `[a-z0-9-]+`. */
  readonly id: string;
  /** As its author wrote it; the gateway adds URLs. */
  readonly card: AgentCard;
  /** For authenticated callers, if it differs (A2A 3.1.11). */
  readonly extendedCard?: AgentCard;
  /** Its turns may answer with a plain message instead of a task. */
  readonly repliesWithMessage: boolean;
  /** Turns that one worker runs at the same time. */
  readonly concurrency: number;
}

export interface AnnouncedAgent extends AgentAnnouncement {
  /** Workers that are alive and can run it. */
  readonly workers: number;
  /** ISO time of the last change of the announcement. */
  readonly updatedAt: string;
}
