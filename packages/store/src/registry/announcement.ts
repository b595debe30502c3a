import {
  type AgentCard,
  type JsonSchema,
  type Message,
  type Priority,
  skillUri,
  type WhileWorking,
} from '@switchyard/protocol';
import type { AnnouncedLimits } from '../places/places.ts';
import { queueName } from '../queue/queue-names.ts';
import type { NamedSkill } from '../tasks/accept/submission.ts';

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
  /**
   * Skills that have a queue of their own, and the turns of each that one worker runs at the same time, besides the
   * others. 0: the skill no longer has a queue; jobs that are left there run, one turn at a time.
   */
  readonly skillQueues?: Readonly<Record<string, number>>;
  /** Of the input of its tasks (docs/extensions/input.md). Unset: any message begins a task. */
  readonly inputSchema?: JsonSchema;
  /** What happens to a message for a task whose turn runs. Unset: `queue`. */
  readonly whileWorking?: WhileWorking;
  /** Of messages that begin its tasks, unless they name one. Unset: `normal`. */
  readonly priority?: Priority;
  /** ms within which a worker must begin a message, unless the message says otherwise. Unset: no limit. */
  readonly timeToLiveMs?: number;
  /** Of its turns, over all workers. Unset: it has none. */
  readonly limits?: AnnouncedLimits;
}

/** All queues of an agent, its own first. */
export function queuesOf({ id, skillQueues = {} }: Pick<AgentAnnouncement, 'id' | 'skillQueues'>): string[] {
  return [queueName(id), ...Object.keys(skillQueues).map((skill) => queueName(id, skill))];
}

/**
 * The skill that a message names under the URI of that extension (docs/extensions/skill.md), not validated.
 * @returns undefined: the message does not use the extension; null: it does, and names no skill
 */
export function skillHint({ metadata }: Pick<Message, 'metadata'>): unknown {
  const hint = metadata?.[skillUri];
  return hint === undefined ? undefined : (Object(hint).skill ?? null);
}

/** @returns undefined: the agent has no such skill */
export function namedSkill(agent: AgentSkills, id: unknown): NamedSkill | undefined {
  const { skills } = agent.extendedCard ?? agent.card;
  const skill = skills.find((each) => each.id === id);
  return skill && { id: skill.id, hasQueue: (agent.skillQueues?.[skill.id] ?? 0) > 0 };
}

type AgentSkills = Pick<AgentAnnouncement, 'card' | 'extendedCard' | 'skillQueues'>;

export interface AnnouncedAgent extends AgentAnnouncement {
  /** Workers that are alive and can run it. */
  readonly workers: number;
  /** ISO time of the last change of the announcement. */
  readonly updatedAt: string;
}
