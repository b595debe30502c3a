import { existsSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { descendantsOf, isAlive } from '../../tests/support/descendants.ts';
import { textOf, userMessage } from '../../tests/support/messages.ts';
import { startProgram } from '../../tests/support/process.ts';
import { send } from '../../tests/support/rest.ts';
import { until } from '../../tests/support/until.ts';

it('starts an example with Redis, gateway and workers, and stops them all', async () => {
  const { PATH = '' } = process.env;
  await using data = await mkdtempDisposable(join(tmpdir(), 'example-'));
  const example = await startProgram({
    file: 'scripts/example.ts',
    args: ['hello'],
    env: { PATH, PORT: '0', DATA_DIR: data.path },
  });
  const [, url = ''] = await example.waitFor(/The example is ready on (http\S+):/, 40_000);
  expect(textOf((await send(url, userMessage('Ada'))).status.message)).toBe('Hello, Ada!');
  const all = descendantsOf(example.pid);
  expect(all.length).toBeGreaterThan(2);
  await example.stop(8_000);
  await until(() => !all.some(({ pid }) => isAlive(pid)), { what: 'every process is gone', timeoutMs: 10_000 });
  // Its Redis is gone: files that stayed would belong to nobody, and the next example would warn of them.
  expect(existsSync(join(data.path, 'files'))).toBe(false);
});

it('lists the examples', async () => {
  const example = await startProgram({ file: 'scripts/example.ts', args: ['nonsense'] });
  await example.waitFor(/npm run example -- <name>, with .*coding-team.*remote/);
  expect(await example.exited).toBe(1);
});
