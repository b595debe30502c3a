import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layerViolations } from '../layers/violations.ts';

describe('the layers check', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'switchyard-layers-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function plant(files: Readonly<Record<string, string>>): Promise<string[]> {
    for (const [path, code] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), code);
    }
    return layerViolations(root);
  }

  it.each([
    ['packages/store/src/a.ts', "import { A } from '@switchyard/protocol';"],
    ['packages/redis/src/a.ts', "import { Redis } from 'ioredis';"],
    ['packages/operators/src/a.ts', "import { Queue } from 'bullmq';"],
    ['packages/store/test/a.test.ts', "import { until } from '../../../tests/support/until.ts';"],
    ['packages/executor-openai/src/a.ts', "import OpenAI from 'openai';"],
    ['packages/protocol/src/schemas/a.ts', "import { z } from 'zod';\n// import Redis from 'ioredis';"],
    ['apps/gateway/src/a.ts', "import express from 'express';\nimport { openStore } from '@switchyard/store';"],
    ['apps/gateway/src/config.ts', 'export const port = process.env.PORT;'],
    ['apps/worker/src/main.ts', "process.once('SIGTERM', stop);"],
    ['apps/gateway/src/b.ts', '/** Never process.env here. */ export const a = 1;'],
    ['examples/echo/agent.ts', "import { defineAgent } from '@switchyard/agent';"],
  ])('allows in %s: %s', async (path, code) => {
    expect(await plant({ [path]: code })).toEqual([]);
  });

  it.each([
    ['packages/protocol/src/a.ts', "import { S } from '@switchyard/store';", 'must not import @switchyard/store'],
    ['packages/store/src/a.ts', "import type { G } from '@switchyard/gateway';", 'must not import @switchyard/gateway'],
    ['packages/agent/src/a.ts', "export { S } from '@switchyard/store';", 'must not import @switchyard/store'],
    ['apps/worker/src/a.ts', "import { G } from '@switchyard/gateway';", 'must not import @switchyard/gateway'],
    ['examples/echo/a.ts', "import { S } from '@switchyard/store';", 'must not import @switchyard/store'],
    ['packages/protocol/src/a.ts', "import { z } from 'zod';", 'imports zod only, and only below src/schemas'],
    ['packages/protocol/src/schemas/a.ts', "import pino from 'pino';", 'imports zod only, and only below src/schemas'],
    ['apps/gateway/src/a.ts', "import {\n  Queue,\n} from 'bullmq';", 'bullmq is imported only in'],
    ['apps/worker/src/a.ts', "const { Redis } = await import('ioredis');", 'ioredis is imported only in'],
    ['apps/worker/src/a.ts', "import express from 'express';", 'express is imported only in'],
    ['packages/agent/src/a.ts', "import { zodTextFormat } from 'openai/helpers/zod';", 'openai is imported only in'],
    ['apps/gateway/src/a.ts', "import { Shards } from '@switchyard/store/inside';", 'is only for packages/access, '],
    [
      'packages/store/src/a.ts',
      "import { Ops } from '@switchyard/operators';",
      'must not import @switchyard/operators',
    ],
    ['packages/store/src/a.ts', 'const url = process.env.REDIS_URL;', 'process.env belongs in'],
    ['packages/store/src/a.ts', "import { env } from 'node:process';", 'process.env belongs in'],
    ['apps/worker/src/a.ts', "process.on('SIGTERM', stop);", 'a signal handler belongs in'],
    ['apps/gateway/src/a.ts', 'server.listen(4000);', 'a listening socket belongs in'],
  ])('refuses in %s: %s', async (path, code, why) => {
    expect(await plant({ [path]: code })).toEqual([expect.stringContaining(why)]);
  });

  it('refuses a relative import from another package', async () => {
    const violations = await plant({
      'packages/store/src/index.ts': '',
      'apps/gateway/src/a.ts': "import { S } from '../../../packages/store/src/index.ts';",
    });
    expect(violations).toEqual([expect.stringContaining('leaves apps/gateway: import a package by its name')]);
  });

  it("refuses an import of the registry's folder in the core of the store", async () => {
    const violations = await plant({
      'packages/store/src/registry/registry.ts': '',
      'packages/store/src/turns/turns.ts': "import type { Registry } from '../registry/registry.ts';",
    });
    expect(violations).toEqual([expect.stringContaining('../registry/registry.ts is outside the core of the store')]);
  });

  it('refuses folders that import each other, also through a third', async () => {
    const violations = await plant({
      'packages/store/src/a/one.ts': "import type { Two } from '../b/two.ts';",
      'packages/store/src/b/two.ts': "export { three } from '../c/three.ts';",
      'packages/store/src/c/three.ts': 'export const three = 3;',
      'packages/store/src/c/four.ts': "const { one } = await import('../a/one.ts');",
    });
    expect(violations).toEqual(
      ['a > packages/store/src/b', 'b > packages/store/src/c', 'c > packages/store/src/a'].map(
        (each) => `folders import in a circle: packages/store/src/${each}`,
      ),
    );
  });

  it('refuses a cycle of files of any length', async () => {
    const violations = await plant({
      'packages/store/src/a.ts': "import { b } from './b.ts';",
      'packages/store/src/b.ts': "export * from './c.ts';",
      'packages/store/src/c.ts': "import type { A } from './a.ts';",
    });
    expect(violations).toEqual([
      'files import each other in a circle: ' +
        'packages/store/src/a.ts → packages/store/src/b.ts → packages/store/src/c.ts → packages/store/src/a.ts',
    ]);
  });
});
