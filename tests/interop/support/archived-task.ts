import { RETENTION_MS, startArchiveAndFiles } from '../../support/archive-and-files.ts';
import { userMessage } from '../../support/messages.ts';
import { get, send } from '../../support/rest.ts';
import { type StackOptions, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';

/** A deployment with an archive and files, and an ended task that only its archive has after some time. */
export interface ArchivedTask {
  /** Resolves when Redis has forgotten the task. */
  whenForgotten(): Promise<{ readonly url: string; readonly id: string }>;
  stop(): Promise<void>;
}

export async function startArchivedTask({ env, ...options }: StackOptions): Promise<ArchivedTask> {
  await using owned = new AsyncDisposableStack();
  const stores = owned.use(await startArchiveAndFiles());
  const stack = owned.use(await startStack({ ...options, env: { ...env, ...stores.env } }));
  const [url = ''] = stack.urls;
  const { id, contextId, status } = await send(url, userMessage('Keep me'));
  const endedMs = Date.parse(status.timestamp ?? '');
  /** Redis lists no task that is older than its retention: a list that has it then has it from the archive. */
  const isForgotten = async (): Promise<boolean> =>
    Date.now() > endedMs + RETENTION_MS + 2_000 &&
    (await get<{ totalSize: number }>(`${url}/tasks?contextId=${contextId}`)).body.totalSize === 1;
  const kept = owned.move();
  return {
    async whenForgotten() {
      await until(isForgotten, { what: 'only the archive has the task', timeoutMs: 120_000 });
      return { url, id };
    },
    stop: () => kept.disposeAsync(),
  };
}
