import type { AgentReading } from '@switchyard/operator-api';
import type { TaskState } from '@switchyard/protocol';
import { agentBadge, type Colour, stateColour, stateName } from './badges.ts';

export type { Colour } from './badges.ts';

export function State({ state }: { readonly state: TaskState }) {
  const moving = state === 'TASK_STATE_WORKING' ? ' moving' : '';
  return <span class={`state ${stateColour(state)}${moving}`}>{stateName(state)}</span>;
}

export function AgentState({ agent }: { readonly agent: AgentReading }) {
  const { name, colour } = agentBadge(agent);
  return (
    <Badge colour={colour} title={agent.remoteProblem?.text}>
      {name}
    </Badge>
  );
}

interface BadgeProps {
  readonly colour: Colour;
  readonly children: string;
  /** More about it. */
  readonly title?: string | undefined;
}

/** A state of something else than a task or an agent, or a kind. */
export function Badge({ colour, children, title }: BadgeProps) {
  return (
    <span class={`state ${colour}`} title={title}>
      {children}
    </span>
  );
}

export function Tag({ colour = 'gray', children }: { readonly colour?: Colour; readonly children: string }) {
  return <span class={`tag ${colour}`}>{children}</span>;
}
