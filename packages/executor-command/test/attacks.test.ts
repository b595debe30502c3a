import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { processesWith } from '../../../tests/support/descendants.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { until } from '../../../tests/support/until.ts';
import { bubblewrap, type Sandbox, type SandboxPaths, unshareSandbox } from '../src/index.ts';
import { confinement, works } from '../src/sandbox/confine.ts';
import { Bench, type Settings } from './bench.ts';

const canary = 'sk-of-the-worker-0123456789';
let bench: Bench;
const file = 'packages/executor-command/test/fixtures/idle.ts';
let worker: Program;

beforeAll(async () => {
  bench = await Bench.open();
  // It stands for a worker: a process of the same user, with a secret in its environment.
  worker = await startProgram({ file, env: { CANARY: canary } });
  await mkdir(join(bench.root, 'of-another-tenant'));
  await writeFile(join(bench.root, 'of-another-tenant', 'secret'), 'of another tenant');
});
afterAll(async () => {
  await worker.stop(0);
  await bench[Symbol.asyncDispose]();
});

/** Each attack returns whether it succeeded. */
const attacks = {
  'reads the environment of the worker from /proc': async (settings: Settings) => {
    const { output } = await bench.run(`cat /proc/[0-9]*/environ 2>&1 | tr '\\0' '\\n' | grep -a ^CANARY=`, settings);
    return output.includes(canary);
  },
  'reads the workspace of another task': async (settings: Settings) => {
    const { output } = await bench.run('cat ../of-another-tenant/secret', settings);
    return output.includes('of another tenant');
  },
  'lists the workspaces': async (settings: Settings) => {
    const { output } = await bench.run('ls -a ..', settings);
    return output.includes('of-another-tenant') || output.includes('.runs');
  },
  'writes into the workspace of another task': async (settings: Settings) => {
    await rm(join(bench.root, 'of-another-tenant', 'planted'), { force: true });
    await bench.run('mkdir -p ../of-another-tenant; echo mine > ../of-another-tenant/planted', settings);
    return existsSync(join(bench.root, 'of-another-tenant', 'planted'));
  },
  'forges the result of its own run': async (settings: Settings) => {
    const { state } = await bench.run(
      'for run in ../.runs/*/*/; do echo 0 > "$run/exit"; done; sleep 0.5; exit 3',
      settings,
    );
    return state !== 'TASK_STATE_FAILED';
  },
  'reads the files of the worker, directly or through a link': async (settings: Settings) => {
    const secret = join(process.cwd(), 'package.json');
    const { output } = await bench.run(`ln -s ${secret} link; cat link ${secret}`, settings);
    return output.includes('switchyard');
  },
  'kills the worker': async (settings: Settings) => {
    const victim = await startProgram({ file });
    onTestFinished(async () => void (await victim.stop(0)));
    await bench.run(`kill -9 ${victim.pid}`, settings);
    return until(() => !victim.isRunning(), { what: 'it is killed', timeoutMs: 300 }).catch(() => false);
  },
  'leaves a process of another process group behind': async (settings: Settings) => {
    const line = `sleep 30.${process.pid}${Math.floor(Math.random() * 1e6)}`;
    await bench.run(`setsid ${line} & sleep 0.3`, settings);
    const left = () => processesWith(line).filter(({ command }) => command === line);
    const isGone = await until(() => left().length === 0, { what: 'it is gone', timeoutMs: 500 }).catch(() => false);
    for (const { pid } of left()) process.kill(pid, 'SIGKILL');
    return !isGone;
  },
} as const;

const names = Object.keys(attacks) as (keyof typeof attacks)[];

describe('without a sandbox, a program', () => {
  it.each(names)('%s', async (name) => {
    await expect(attacks[name]({ sandbox: 'off' })).resolves.toBe(true);
  });
});

const { BWRAP = '/usr/bin/bwrap' } = process.env;
const sandboxes = [...(existsSync(BWRAP) ? [bubblewrap(BWRAP)] : []), unshareSandbox()];

describe.each(sandboxes)('in the sandbox of $name', (sandbox) => {
  beforeEach(async ({ skip }) => {
    const paths = { workspaceRoot: bench.root, workspace: bench.root, readable: [], network: 'host' as const };
    if (!(await works(sandbox, paths))) skip(`${sandbox.name} does not work on this machine`);
  });

  it.each(names)('no program %s', async (name) => {
    await expect(attacks[name]({ sandbox })).resolves.toBe(false);
  });

  it('a program runs as the user nobody, without capabilities, and cannot gain privileges', async () => {
    const { output } = await bench.run('id -u; grep -E "CapEff|NoNewPrivs" /proc/self/status', { sandbox });
    expect(output).toBe('65534\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n');
  });

  it('a program cannot change system files or kernel settings, even if the worker is root', async () => {
    const paths = ['/usr/planted', '/etc/passwd', '/proc/sys/kernel/core_pattern', '/planted'];
    const { output } = await bench.run(`for path in ${paths.join(' ')}; do (: >>$path) && echo "$path"; done`, {
      sandbox,
    });
    expect(output.split('\n').filter((line) => paths.slice(0, 3).includes(line))).toEqual([]);
    expect(existsSync('/planted')).toBe(false);
  });

  it('a program cannot unmount the sandbox from a nested namespace', async () => {
    const { output } = await bench.run(
      `unshare -Urm sh -c 'umount -l "$(dirname "$PWD")"; umount -l /proc/sys; cd "$PWD"; ls -a ..' 2>&1`,
      { sandbox },
    );
    expect(output).not.toContain('of-another-tenant');
  });

  it('a program can use the network unless it is "none"', async () => {
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const command = `bash -c 'cat </dev/tcp/127.0.0.1/${port}'`;
    const answers = await Promise.all([
      bench.run(command, { sandbox }),
      bench.run(command, { sandbox, network: 'none' }),
    ]);
    expect(answers.map(({ output }) => output.includes('reached'))).toEqual([true, false]);
  });

  it('a program can read the paths in "readable", and cannot change them', async () => {
    const readable = await mkdtemp(join(tmpdir(), 'switchyard-readable-'));
    onTestFinished(() => rm(readable, { recursive: true }));
    await writeFile(join(readable, 'settings'), 'of the program');
    const { output } = await bench.run(
      `cat settings; echo mine > settings`.replaceAll('settings', `${readable}/settings`),
      {
        sandbox,
        readable: [readable, '/nowhere'],
      },
    );
    expect(output).toMatch(/^of the program/);
    expect(await readFile(join(readable, 'settings'), 'utf8')).toBe('of the program');
  });
});

it('a relative path in "readable" is refused: the program could put a link there', () => {
  expect(() => bench.begin('true', { readable: ['settings'] })).toThrow('readable: settings is not an absolute path');
});

describe('if the sandbox does not work', () => {
  const broken: Sandbox = { name: 'broken', wrap: () => ['/bin/false'] };

  it('a turn that requires it fails, and its program does not run', async () => {
    const { state, statusText, port } = await bench.run('touch ran', { sandbox: broken });
    expect([state, statusText]).toEqual(['TASK_STATE_FAILED', 'This agent cannot run here.']);
    expect(existsSync(join(bench.workspace(port), 'ran'))).toBe(false);
  });
});

describe('the choice of a sandbox', () => {
  const paths: SandboxPaths = { workspaceRoot: '/tmp', workspace: '/tmp', readable: [], network: 'host' };
  const fake = (name: string, code: () => number): Sandbox => ({
    name,
    wrap: () => ['/bin/sh', '-c', `exit ${code()}`, name],
  });

  it('takes the first sandbox in which a program runs', async () => {
    const confine = confinement('required', [fake('installed only', () => 1), fake('works', () => 42)]);
    expect((await confine(['true'], paths)).at(-1)).toBe('works');
  });

  it('if none works, warns once, and runs programs unless a sandbox or network "none" is required', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    onTestFinished(() => warn.mockRestore());
    const confine = confinement('auto', [fake('broken', () => 1)]);
    expect([await confine(['true'], paths), await confine(['true'], paths)]).toEqual([['true'], ['true']]);
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('No sandbox works (broken)'), {
      code: 'UNCONFINED',
    });
    await expect(confine(['true'], { ...paths, network: 'none' })).rejects.toThrow('This agent cannot run here.');
    await expect(confinement('required', [])(['true'], paths)).rejects.toThrow('This agent cannot run here.');
  });

  it('runs no program without the sandbox once it has worked', async () => {
    let code = 42;
    const confine = confinement('auto', [fake('works', () => code)]);
    await confine(['true'], paths);
    code = 1;
    expect((await confine(['true'], paths)).at(-1)).toBe('works');
  });
});
