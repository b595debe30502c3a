import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, pages, placeOf } from '../docs/blocks.ts';
import { openFolder, writeSnippets } from '../docs/snippets.ts';
import { uniquePrefix } from '../support/prefix.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { type Stack, startStack } from '../support/stack.ts';

// Every command of the docs that is not marked no-run, in the order of its page, on one deployment.
// apps/gateway/test/admin/operations-page.test.ts runs those of docs/operations.md, with tasks that are stuck.

const commands = pages
  .filter((page) => page !== 'docs/operations.md')
  .flatMap(blocksOf)
  .flatMap((block) => {
    if (block.language === 'sh' && !block.notes['no-run'])
      return [{ place: placeOf(block), code: block.code, input: '' }];
    // A terminal: commands begin with $ and end where their output begins.
    const shown = block.language === '' ? block.code.matchAll(/^\$ (.+(?:\n {2,}.+)*)/gm) : [];
    const input = Array.from(block.code.matchAll(/^you> (.+\n)/gm), ([, line]) => line).join('');
    return Array.from(shown, ([, code = ''], n) => ({ place: `${placeOf(block)}, command ${n + 1}`, code, input }));
  });

describe('commands in the docs', () => {
  const key = 'a-key-for-operators';
  let folder: string;
  let redis: TestRedis;
  let stack: Stack;
  let env: Record<string, string>;
  let url = '';

  beforeAll(async () => {
    [folder, redis] = await Promise.all([openFolder(), startRedis({ appendOnly: true })]);
    const { folder: quickStart } = await writeSnippets('docs/quick-start.md', folder);
    const settings = { KEY_PREFIX: uniquePrefix(), ADMIN_PORT: '0', ADMIN_KEY: key };
    const agents = ['pizza', 'echo', join(quickStart, 'greeter.ts')];
    stack = await startStack({ redisUrl: redis.url, agents, env: settings });
    [url = ''] = stack.urls;
    const adminUrl = stack.gateways[0]?.output().match(/"adminUrl":"([^"]+)"/)?.[1] ?? '';
    env = {
      ...settings,
      PATH: `${process.cwd()}/node_modules/.bin:${process.env.PATH}`,
      HOME: folder,
      REDIS_URL: redis.url,
      SWITCHYARD_URL: url,
      SWITCHYARD_OPERATOR_URL: adminUrl,
      ADMIN: adminUrl,
      KEY: key,
    };
    const asked = JSON.parse(await run('switchyard send "I want a pizza" -o json'));
    const made = JSON.parse(await run('switchyard keys create --subject bob -o json'));
    env = { ...env, TASK: asked.task.id, KEY_ID: made.id ?? made.credential.id };
  });

  afterAll(async () => {
    await stack?.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Replaces shortened ids of a page by the task of this test. */
  async function run(code: string, input = ''): Promise<string> {
    const here = code.replaceAll('http://127.0.0.1:4000', url).replaceAll(/<task>|\b[\da-f]{8}-…/g, env.TASK ?? '');
    const ran = promisify(execFile)('sh', ['-ec', here], { env });
    ran.child.stdin?.end(input);
    return (await ran).stdout;
  }

  it('are found', () => {
    expect(commands.length).toBeGreaterThan(12);
  });

  it.each(commands)('$place', async ({ code, input }) => {
    expect(await run(code, input)).not.toBe('');
  });
});
