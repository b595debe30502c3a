import { type ReadonlySignal, useSignal } from '@preact/signals';
import { isTerminal } from '@switchyard/protocol';
import { streamResponseSchema } from '@switchyard/protocol/schemas';
import { useEffect, useMemo } from 'preact/hooks';
import { problemText, watch } from '../../../app/api.ts';
import { LiveTask } from './live-task.ts';

export interface TaskEvents {
  readonly live: LiveTask;
  /** Why the events are not followed. */
  readonly problem: ReadonlySignal<string | undefined>;
}

/** Follows the events of a task while the component is mounted, until the task ends. @param isKnown the task exists */
export function useTaskEvents(taskId: string, isKnown: boolean): TaskEvents {
  const live = useMemo(() => new LiveTask((write) => void requestAnimationFrame(write)), [taskId]);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (!isKnown) return;
    const stop = new AbortController();
    const follow = async (): Promise<void> => {
      const events = watch(`/admin/tasks/${taskId}/events`, streamResponseSchema, { signal: stop.signal });
      for await (const event of events) {
        live.take(event);
        const state = (event.statusUpdate ?? event.task)?.status.state;
        if (state && isTerminal(state)) return;
      }
    };
    follow().catch((error: unknown) => {
      if (!stop.signal.aborted) problem.value = problemText(error);
    });
    return () => stop.abort();
  }, [taskId, isKnown]);
  return { live, problem };
}
