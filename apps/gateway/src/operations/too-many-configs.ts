import { A2AError } from '@switchyard/protocol';

/** A client that makes one with every message should give it an id: then it is replaced. */
export function tooManyConfigs(taskId: string): A2AError {
  return new A2AError('InvalidParams', 'The task has as many push notification configs as it may have', {
    violations: [{ field: 'id', description: 'must be that of a config to be replaced, or one must be deleted first' }],
    metadata: { taskId },
  });
}
