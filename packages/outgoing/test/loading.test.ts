import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** In its own process, since in this one other tests have loaded it. Prints how many files of undici are loaded. */
const program = `
  import { registerHooks } from 'node:module';
  let files = 0;
  const load = (url, context, next) => {
    if (url.includes('/node_modules/undici/')) files++;
    return next(url, context);
  };
  registerHooks({ load });
  const { AddressPolicy, guardedClient } = await import('./packages/outgoing/src/index.ts');
  const policy = new AddressPolicy({ allowHttp: true, allowHosts: ['127.0.0.1'] });
  const client = guardedClient({ policy, timeoutMs: 25_000, maxBytes: 1_000 });
  console.log(files);
  await client.fetch('http://127.0.0.1:1/').catch(() => undefined);
  console.log(files);`;

test('undici is loaded by the first request, not by the start of a program', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toMatch(/^0\n[1-9]\d*\n$/);
});
