import type { TaskStore } from '../operations/backend.ts';
import type { GatewayMetrics } from '../telemetry/metrics.ts';

/** The same tasks; what is accepted is counted, once. */
export function countedTasks(tasks: TaskStore, metrics: GatewayMetrics): TaskStore {
  return {
    ...tasks,
    async accept(scope, submission) {
      const acceptance = await tasks.accept(scope, submission);
      if (acceptance.verdict === 'accepted' && !acceptance.isDuplicate) metrics.accepted(scope.agent, acceptance.isNew);
      return acceptance;
    },
  };
}
