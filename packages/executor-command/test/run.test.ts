import { join, relative } from 'node:path';
import { faultOf } from '@switchyard/agent/runtime';
import { runTurn } from '@switchyard/agent/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { commandExecutor } from '../src/index.ts';
import { Bench, updatesOf } from './bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench[Symbol.asyncDispose]());

describe('a program', () => {
  it('completes the task when it ends with exit code 0', async () => {
    const { state, statusText } = await bench.run('true');
    expect([state, statusText]).toEqual(['TASK_STATE_COMPLETED', 'Done.']);
  });

  it.each([
    ['exit 3', 'The program failed with exit code 3.'],
    ['no-such-program-anywhere', 'The program could not be started (exit code 127).'],
    ['kill -KILL $$', 'The program was ended by signal 9.'],
  ])('fails the task when it ends otherwise: %s', async (command, text) => {
    const { state, statusText, result } = await bench.run(command);
    expect([state, statusText]).toEqual(['TASK_STATE_FAILED', text]);
    expect('error' in result && faultOf(result.error).kind).toBe('program-failed');
  });

  it('runs in a workspace whose root is given as a relative path', async () => {
    const workspaceRoot = relative(process.cwd(), join(bench.root, 'relative'));
    const execute = commandExecutor({ command: '/bin/sh', args: ['-c', 'pwd'], workspaceRoot });
    const { state, events, task } = await runTurn(agentThat(execute), 'Go', { maxAttempts: 1 });
    expect(state).toBe('TASK_STATE_COMPLETED');
    expect(JSON.stringify(events)).toContain(join(bench.root, 'relative', task.id));
  });

  it('has no time limit with a timeoutMs of Infinity; times that are longer than a timer are refused', async () => {
    const { state } = await bench.run('sleep 0.2', { timeoutMs: Number.POSITIVE_INFINITY });
    expect(state).toBe('TASK_STATE_COMPLETED');
    const wrong = { timeoutMs: 2 ** 31, killAfterMs: Number.NaN, retentionMs: 2 ** 33 };
    const named = /^timeoutMs is 2147483648 and must be .*; killAfterMs is NaN [^;]*$/;
    expect(() => bench.begin('true', wrong)).toThrow(named);
  });

  it('is retried when it ends with exit code 75', async () => {
    const { port, result } = await bench.run('[ -e tried ] || { touch tried; exit 75; }');
    expect(result).toMatchObject({ kind: 'retry', error: { message: 'The program asked to be run again later.' } });
    expect((await bench.again(port, '[ -e tried ]')).state).toBe('TASK_STATE_COMPLETED');
  });

  it('receives its arguments without interpretation by a shell unless the settings ask for one', async () => {
    const settings = { shell: false, args: ['$(id) * ; ls', '"quoted"'] };
    expect((await bench.run('/bin/echo', settings)).output).toBe('$(id) * ; ls "quoted"\n');
  });

  it('receives arguments and input that the settings derive from the turn', async () => {
    const { output, port } = await bench.run('cat; echo "$@"', {
      args: ({ turn, workspace }) => [turn.text, workspace],
      input: ({ turn }) => `${turn.text}!\n`,
    });
    expect(output).toBe(`Build it!\nBuild it ${bench.workspace(port)}\n`);
  });

  it('has an empty stdin without input', async () => {
    expect((await bench.run('wc -c')).output.trim()).toBe('0');
  });

  it('receives no environment variable of the worker except PATH', async () => {
    process.env.SECRET_OF_THE_WORKER = 'sk-secret';
    const { output, port } = await bench.run('env', { env: { GIVEN: 'yes' } });
    delete process.env.SECRET_OF_THE_WORKER;
    const names = output.split('\n').map((line) => line.split('=')[0]);
    const setByShell = ['PWD', 'OLDPWD', 'SHLVL', '_', ''];
    expect(names.filter((name = '') => !setByShell.includes(name)).sort()).toEqual([
      'GIVEN',
      'PATH',
      'SWITCHYARD_ATTEMPT',
      'SWITCHYARD_CONTEXT_ID',
      'SWITCHYARD_TASK_ID',
    ]);
    expect(output).toContain(`SWITCHYARD_TASK_ID=${port.input.task.id}\n`);
  });

  it('can have its success turned into an outcome by the settings (toOutcome)', async () => {
    const { statusText } = await bench.run('echo 42; echo x > made.txt', {
      toOutcome: ({ turn, outputTail, files }) => turn.complete(`${outputTail.trim()} ${files}`),
    });
    expect(statusText).toBe('42 made.txt');
  });

  it('can ask the client through QUESTION.md; the answer is its next INSTRUCTIONS.md', async () => {
    const { state, statusText, port } = await bench.run('echo "Which colour?" > QUESTION.md');
    expect([state, statusText]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'Which colour?']);
    const next = await bench.run('cat INSTRUCTIONS.md; ls', {}, { task: port.current, message: 'Blue' });
    expect(next.state).toBe('TASK_STATE_COMPLETED');
    expect(next.output).toContain('Blue');
    expect(next.output).not.toContain('QUESTION.md\n');
  });
});

describe('the question of a program', () => {
  it('is cut at 64 KiB, so that it cannot fill the memory of the worker', async () => {
    const { state, statusText } = await bench.run("head -c 300000 /dev/zero | tr '\\0' q > QUESTION.md");
    expect([state, statusText]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'q'.repeat(65_536)]);
  });
});

describe('the output of a program', () => {
  it('is streamed completely as working updates', async () => {
    const { output, port } = await bench.run('for i in 1 2 3 4 5 6 7 8; do echo "line $i"; sleep 0.06; done >&2');
    expect(output).toBe([1, 2, 3, 4, 5, 6, 7, 8].map((i) => `line ${i}\n`).join(''));
    expect(updatesOf(port.published).length).toBeGreaterThan(2);
  });

  it('is published at most once in updateEveryMs', async () => {
    const { output, port } = await bench.run('for i in 1 2 3 4 5 6; do echo $i; sleep 0.15; done', {
      updateEveryMs: 60_000,
    });
    expect(output).toBe('1\n2\n3\n4\n5\n6\n');
    expect(updatesOf(port.published).length).toBeLessThanOrEqual(2);
  });

  it('is published without split characters and without control sequences', async () => {
    const command = `printf 'a\\303'; sleep 0.2; printf '\\244\\033['; sleep 0.2; printf '31mred\\033[0m'`;
    const { port, output } = await bench.run(command);
    expect(output).toBe('aäred');
    expect(updatesOf(port.published).every((text) => !text.includes('\ufffd'))).toBe(true);
  });

  it('is limited: the program is stopped at outputLimitBytes', async () => {
    const { state, statusText, output } = await bench.run('while :; do echo 0123456789; done', {
      outputLimitBytes: 1_000,
    });
    expect([state, statusText]).toEqual([
      'TASK_STATE_FAILED',
      'The program wrote more than 1000 bytes and was stopped.',
    ]);
    expect(output).toHaveLength(1_000);
  });
});
