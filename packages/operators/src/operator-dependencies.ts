import type { Credentials } from '@switchyard/access';
import type { StoreInside } from '@switchyard/store/inside';
import type { AgentQueues } from './agent-queues.ts';
import type { LogLevels } from './log-levels.ts';
import type { Workers } from './workers.ts';

/** What the operations for operators use. */
export interface OperatorDependencies extends StoreInside {
  readonly credentials: Credentials;
  readonly workers: Workers;
  readonly agentQueues: AgentQueues;
  readonly logLevels: LogLevels;
}
