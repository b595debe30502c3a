import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Credentials } from '@switchyard/access';
import { Ops } from '@switchyard/operators';
import { expect, it } from 'vitest';
import { submit, userMessage } from '../support/client.ts';
import { failAllAttempts, key, openAdminStage } from './support.ts';

const page = readFileSync('docs/operations.md', 'utf8');
const lines = [...page.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) => block.trim().split('\n'));

it('every curl command of docs/operations.md works, in the order of the page', async () => {
  await using stage = await openAdminStage({ maxAttempts: 1 });
  const [task, dead, other] = await Promise.all([submit(stage.url), submit(stage.url), submit(stage.url)]);
  await failAllAttempts(stage.store, dead.id);
  await failAllAttempts(stage.store, other.id);
  await new Ops(stage.store).workers.report('worker-1', { agents: ['echo'], upForMs: 1, isDraining: false, turns: [] });
  const { credential } = await new Credentials(stage.store.inside).create({
    tenant: 'acme',
    subject: 'bob',
    scopes: [],
  });
  const schedule = { at: new Date(Date.now() + 3_600_000).toISOString() };
  const scope = { principal: { tenant: 'default', subject: 'anonymous', scopes: [] }, agent: 'echo' };
  const scheduled = await stage.store.tasks.accept(scope, { message: userMessage('hello'), schedule });
  const names = {
    SCHEDULE: scheduled.verdict === 'accepted' ? scheduled.taskId : '',
    CLIENT_KEY: credential.id,
    TASK: task.id,
    DEAD: dead.id,
    OTHER_DEAD: other.id,
    AGENT: 'echo',
    WORKER: 'worker-1',
    TENANT: 'default',
  };
  const env = { PATH: process.env.PATH, ADMIN: stage.adminUrl, KEY: key, ...names };
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) await promisify(execFile)('sh', ['-c', line], { env });
});
