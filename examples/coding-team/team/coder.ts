import type { Execute, Turn } from '@switchyard/agent';
import { type Briefing, commandExecutor } from '@switchyard/executor-command';
import { coder } from '../config.ts';
import { assignmentSchema } from './plan.ts';
import { answering } from './question.ts';

export interface CoderRole {
  readonly role: string;
  readonly capabilities: readonly string[];
}

/** A member that runs a command line program to write code, in a workspace per task. */
export function coderFor({ role, capabilities }: CoderRole): Execute {
  const briefing = (turn: Turn): Briefing => ({ role, capabilities, ...assignmentIn(turn) });
  return answering(role, commandExecutor({ ...coder, shell: true, briefing }));
}

/** The host sends data; other callers send text. */
function assignmentIn({ message }: Turn): Briefing {
  const [assignment] = message.parts.flatMap(({ data }) => assignmentSchema.safeParse(data).data ?? []);
  return assignment ?? {};
}
