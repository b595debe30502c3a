import type { Overview } from '@switchyard/operator-api';
import type { Colour } from '../../design/badges.ts';

export interface Verdict {
  readonly colour: Colour;
  readonly title: string;
  readonly text: string;
}

/** Whether all is well, in a sentence: what nobody works on comes first, then what waits for people, then failures. */
export function verdictOf(overview: Overview): Verdict {
  const { troubledAgents, stuck, interrupted, failures, agents, workers, limits, kept } = overview;
  if (troubledAgents > 0)
    return {
      colour: 'red',
      title: stuck === 1 ? 'Nobody works on one task' : `Nobody works on ${stuck.toLocaleString()} tasks`,
      text: `${counted(troubledAgents, 'agent', 'agents')} of ${agents} cannot go on without you.`,
    };
  if (agents > 0 && workers.live === 0)
    return { colour: 'red', title: 'No worker is alive', text: 'Messages are accepted, and wait.' };
  if (failures.total > 0)
    return {
      colour: 'amber',
      title: `${counted(failures.total, 'task has', 'tasks have')} failed in the last hour`,
      text: 'All agents have workers. The reasons are below.',
    };
  if (failures.isPartial)
    return { colour: 'amber', title: 'The archive does not answer', text: 'Tasks that Redis has go on as always.' };
  if (limits.length > 0 || kept.keptMs < kept.wantedMs)
    return {
      colour: 'amber',
      title: limits.length > 0 ? 'A limit is nearly reached' : 'Ended tasks are deleted early',
      text: 'Messages are still accepted.',
    };
  if (interrupted > 0)
    return {
      colour: 'amber',
      title: `${counted(interrupted, 'task waits', 'tasks wait')} for a person`,
      text: 'Everything else goes on.',
    };
  return {
    colour: 'green',
    title: 'All is well',
    text: 'Every message has somebody who works on it; none has failed in the last hour.',
  };
}

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;
