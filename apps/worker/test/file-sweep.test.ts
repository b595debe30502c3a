import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesAt } from '@switchyard/files';
import { Store } from '@switchyard/store';
import { expect, inject, it } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import { FileSweep } from '../src/maintenance/file-sweep.ts';

it('A worker removes files of its own deployment, not those of another one in the same folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'files-'));
  try {
    const files = filesAt(`file://${folder}`, { maxFileBytes: 1_000, maxBytesPerPrincipal: 10_000 });
    await files.start();
    const settings = { redisUrl: inject('redisUrl'), prefix: uniquePrefix(), deployment: 1 };
    await using owned = new AsyncDisposableStack();
    const store = owned.adopt(new Store(settings, () => undefined), (each) => each.stop());
    await store.start();
    const write = async (taskId: string) => {
      const content = (async function* () {
        yield Buffer.from('x');
      })();
      return (await files.write('o', content, { facts: { mediaType: 'text/plain' }, keeper: { taskId } })).id;
    };
    const scope = { agent: 'echo', principal: { tenant: 't', subject: 's', scopes: [] } };
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'x' }] };
    const gone = await write(store.tasks.newTaskId(scope, { message }));
    const ofAnother = await write('9d3f8a52-6d70-4b55-b1aa-0123456789ab');
    const past = new Date(Date.now() - 3_600_000);
    for (const name of await readdir(folder, { recursive: true })) await utimes(join(folder, name), past, past);
    const sweep = new FileSweep({ files, store, emit: () => undefined }, { unusedMs: 1, sweepEveryMs: 1_000 });
    sweep.start();
    await until(async () => (await files.find('o', gone)) === undefined, { what: 'the file is removed' });
    await sweep.stop();
    expect(await files.find('o', ofAnother)).toBeDefined();
  } finally {
    await rm(folder, { recursive: true });
  }
});
