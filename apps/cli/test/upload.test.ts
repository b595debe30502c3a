import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesUri } from '@switchyard/protocol';
import { expect, it } from 'vitest';
import { run } from './support/run.ts';
import { scriptedServer } from './support/scripted-server.ts';

it('send uploads no file whose type the agent does not accept, and says which it does', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'upload-'));
  const path = join(folder, 'film.mp4');
  await writeFile(path, Buffer.alloc(4 * 1024 ** 2));
  const card = { extensions: [{ uri: filesUri }], defaultInputModes: ['text/plain', 'image/*'] };
  await using agent = await scriptedServer({}, card);
  const { code, err } = await run(['send', '--file', path, '-a', agent.url]);
  expect(err).toContain(
    'film.mp4 is not uploaded: the agent does not accept video/mp4; it accepts text/plain, image/*',
  );
  expect([code, err, agent.calls]).toEqual([1, expect.stringContaining('--media-type'), []]);
  await rm(folder, { recursive: true });
});
