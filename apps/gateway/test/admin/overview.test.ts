import { PostgresArchive } from '@switchyard/archive/postgres-archive';
import type { Overview } from '@switchyard/operator-api';
import { expect, onTestFinished, test } from 'vitest';
import { submit } from '../support/client.ts';
import { begin, openAdminStage } from './support.ts';

test('while the archive is away, the overview goes on with what Redis has, and says so', async () => {
  const archive = new PostgresArchive({ url: 'postgres://nobody@127.0.0.1:1/none', onError: () => undefined });
  // Of the last hour, a part is in the archive only.
  await using stage = await openAdminStage({ retentionMs: 600_000 }, { archive });
  onTestFinished(() => archive.stop());
  const { id } = await submit(stage.url);
  const turn = await begin(stage.store, id);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_FAILED', settles: true });
  const { status, body } = await stage.ask<Overview>('/admin/overview');
  expect(status).toBe(200);
  expect(body.failures).toMatchObject({ total: 1, counted: 1, isPartial: true });
});
