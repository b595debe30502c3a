import { type TaskDetail, type Timeline, taskDetailSchema } from '@switchyard/operator-api';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../../app/api.ts';

/** Maximum number of called tasks that are read: each is a request. */
const LOOKED_AT = 12;

/** The outcomes of called tasks. Read again whenever the caller's timeline changes, until they end. */
export function useCalledTasks(timeline: Timeline): ReadonlyMap<string, TaskDetail> {
  const [known, setKnown] = useState<ReadonlyMap<string, TaskDetail>>(new Map());
  useEffect(() => {
    const stop = new AbortController();
    const ids = new Set(timeline.entries.flatMap((entry) => (entry.kind === 'call' ? (entry.taskId ?? []) : [])));
    for (const id of [...ids].slice(0, LOOKED_AT)) {
      if (known.get(id)?.isTerminal) continue;
      call(`/admin/tasks/${id}`, taskDetailSchema, { query: { timeline: true }, signal: stop.signal }).then(
        (detail) => setKnown((before) => new Map(before).set(id, detail)),
        // It was deleted or has expired: its row shows what the caller knows.
        () => undefined,
      );
    }
    return () => stop.abort();
  }, [timeline]);
  return known;
}
