import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startProgram } from '../../../tests/support/process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-tests-'));
  const card = "{ name: 'Greeter', description: 'Greets.', version: '1.0.0', skills: [] }";
  await writeFile(
    join(folder, 'agent.ts'),
    `import { defineAgent } from '@switchyard/agent';
     export default defineAgent({ id: 'greeter', card: ${card}, execute: (turn) => turn.complete(\`Hello, \${turn.text}!\`) });`,
  );
});
afterAll(() => rm(folder, { recursive: true }));

async function testOf(expected: string) {
  await writeFile(
    join(folder, 'agent.test.ts'),
    `import assert from 'node:assert/strict';
     import { test } from 'node:test';
     import { runTurn } from '@switchyard/agent/testing';
     import agent from './agent.ts';
     test('greets', async () => assert.equal((await runTurn(agent, 'Ada')).answer, '${expected}'));`,
  );
  return runTests();
}

async function runTests() {
  const file = join(import.meta.dirname, '../src/main.ts');
  const program = await startProgram({ file, args: ['test'], cwd: folder });
  return { code: await program.exited, output: program.output() };
}

it('ends with 1 if there is no test', async () => {
  const { code, output } = await runTests();
  expect([code, output]).toEqual([1, expect.stringContaining('There are no tests here')]);
});

it('runs the tests of an agent in a folder without packages', async () => {
  const { code, output } = await testOf('Hello, Ada!');
  expect(output).toMatch(/pass 1\n/);
  expect(code).toBe(0);
});

it('ends with 1 if a test fails', async () => {
  const { code, output } = await testOf('Goodbye, Ada!');
  expect(output).toContain("- 'Goodbye, Ada!'");
  expect(code).toBe(1);
});

it('names a test that is written for vitest', async () => {
  await writeFile(join(folder, 'agent.test.ts'), "import { test } from 'vitest';\ntest('greets', () => undefined);");
  const { code, output } = await runTests();
  expect(output).toContain('agent.test.ts is a test for vitest: run it with "npx vitest run agent.test.ts".');
  expect(code).toBe(1);
});
