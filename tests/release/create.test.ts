import { cp, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { freePort } from '@switchyard/local';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import { Author } from './support/author.ts';
import { type Step, stepsOf } from './support/page.ts';
import { type Registry, startRegistry } from './support/registry.ts';

// A user follows docs/your-own-folder.md, with the packages as published.

let redis: TestRedis;
let registry: Registry;
let author: Author;
let port: number;

beforeAll(async () => {
  [redis, registry, port] = await Promise.all([
    startRedis(),
    startRegistry(resolve(inject('tarballs'), '..')),
    freePort(),
  ]);
  author = await Author.sitDown(registry.npmrc, { PORT: String(port), GRPC_PORT: 'off' });
});

afterAll(async () => {
  await author?.[Symbol.asyncDispose]();
  await registry?.[Symbol.asyncDispose]();
  await redis?.stop();
});

/** With the addresses of this test. */
function typed(command: string): string {
  return command.replace('127.0.0.1:4000', `127.0.0.1:${port}`).replace('redis://127.0.0.1:6379', redis.url);
}

async function follow(step: Step): Promise<void> {
  if (step.kind === 'write') return author.write(step.file, step.text);
  const { commands, prints } = step;
  for (const command of commands) {
    const isLast = command === commands.at(-1);
    if (isLast && prints !== undefined) await untilPrinted(typed(command), prints);
    else expect(await author.type(typed(command)), command).toMatchObject({ code: 0 });
  }
}

/** A changed file is noticed a moment after it is saved. */
async function untilPrinted(command: string, text: string): Promise<void> {
  const isPrinted = async () => (await author.type(command)).output.includes(text);
  await until(isPrinted, { what: `${command} prints ${text}`, timeoutMs: 60_000 });
}

const title = (step: Step): string => (step.kind === 'write' ? `${step.file} is written` : step.commands.join('; '));

describe('docs/your-own-folder.md', () => {
  it.each(stepsOf('docs/your-own-folder.md').map((step) => [title(step), step] as const))('%s', async (_, step) => {
    await follow(step);
    // Its worker logs a moment later.
    if (title(step).includes('Ada, Bob'))
      await until(() => author.output.includes('A letter is written'), { what: 'the worker says what it has done' });
  });

  it('has a Dockerfile whose steps work in a copy of the folder', async () => {
    const dockerfile = await readFile(join(author.folder, 'Dockerfile'), 'utf8');
    const ignored = (await readFile(join(author.folder, '.dockerignore'), 'utf8')).split('\n');
    const image = join(author.folder, '../image');
    await cp(author.folder, image, { recursive: true, filter: (path) => !ignored.includes(basename(path)) });
    const [, install = ''] = /^RUN (npm install [^&]+) &&/m.exec(dockerfile) ?? [];
    const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const start = `REDIS_URL=${redis.url} ${JSON.parse(command).join(' ')}`;
    await author.stop();
    await author.type('cd ../image');
    expect(await author.type(install)).toMatchObject({ code: 0 });
    expect((await author.type('ls node_modules node_modules/@switchyard')).output).not.toMatch(/^(cli|gateway|node)$/m);
    expect((await author.type(start)).output).toContain('"agents":["my-agent"]');
    await author.stop();
    await author.type('cd ../my-agent');
  });
});

describe('a folder made by npm create', () => {
  it('compiles with strict settings under both module resolutions, with the types of every package', async () => {
    for (const settings of ['', '--module esnext --moduleResolution bundler'])
      expect(await author.type(`npx tsc --skipLibCheck false ${settings}`)).toMatchObject({ code: 0 });
  });

  it('is not written over existing files', async () => {
    await author.type('cd ..');
    const { code, output } = await author.type('npm create --yes @switchyard@latest my-agent');
    expect(code).not.toBe(0);
    expect(output).toContain('is not empty');
    await author.type('cd my-agent');
  });

  it('can use the agents of the other templates, once it has their packages', async () => {
    const add = (name: string, template: string) =>
      author.type(`npm create --yes @switchyard@latest -- --add ${name} --template ${template}`);
    expect((await add('ai', 'openai')).output).toContain('npm install @switchyard/executor-openai');
    const packages = '@switchyard/executor-openai @switchyard/executor-sdk @a2a-js/sdk';
    expect(await author.type(`npm install --no-audit --no-fund ${packages}`)).toMatchObject({ code: 0 });
    expect(await add('ai', 'openai')).toMatchObject({ code: 0 });
    expect(await add('moved', 'sdk')).toMatchObject({ code: 0 });
    expect(await author.type('npm test')).toMatchObject({ code: 0 });
    expect(await author.type('npm run typecheck')).toMatchObject({ code: 0 });
  });
});
