import type { TaskState } from '@switchyard/protocol';

/**
 * What `turn.complete(…)` and its siblings resolve to, once it is durable. `execute` must return one:
 * a turn that forgets its outcome does not compile.
 */
export interface Outcome {
  readonly state: TaskState;
}
