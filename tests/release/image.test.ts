import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@switchyard/local';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { descendantsOf } from '../support/descendants.ts';
import { skippedFor } from '../support/has-program.ts';
import { userMessage } from '../support/messages.ts';
import { uniquePrefix } from '../support/prefix.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { get, getTask, send, submit } from '../support/rest.ts';
import { until } from '../support/until.ts';
import { makeBaseImages, podman, whyNoContainers } from './support/containers.ts';

const reason = skippedFor(whyNoContainers());
const image = 'localhost/switchyard:test';

const agent = (id: string, execute: string): string => `
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

export default defineAgent({
  id: '${id}',
  card: { name: '${id}', description: 'Of a test.', version: '1.0.0', skills: [] },
  execute: async (turn) => { ${execute} },
});
`;

/** A program that ends at once, and leaves a child that ends a little later. */
const orphans = `
  const grandchild = "setTimeout(() => {}, 200)";
  const child = "require('node:child_process').spawn(process.execPath, ['-e', " + JSON.stringify(grandchild) + "])";
  await new Promise((resolve) => spawn(process.execPath, ['-e', child + '; process.exit()']).on('exit', resolve));
  return turn.complete('done');
`;

/** A health check has 3 s, which a busy machine may need for its start alone. */
async function untilHealthy(name: string): Promise<void> {
  const isHealthy = () =>
    podman('healthcheck', 'run', name).then(
      () => true,
      () => false,
    );
  await until(isHealthy, { what: 'its health check passes', timeoutMs: 60_000 });
}

describe.skipIf(reason)(`The image${reason ? ` (${reason})` : ''}`, () => {
  let redis: TestRedis;
  let folder: string;
  let settings: Readonly<Record<string, string>>;
  let url: string;
  const started: string[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    folder = await mkdtemp(join(tmpdir(), 'switchyard-image-'));
    await mkdir(join(folder, 'agents'));
    await writeFile(
      join(folder, 'agents/greeter.ts'),
      agent('greeter', "return turn.complete('Hello, ' + turn.text);"),
    );
    await writeFile(
      join(folder, 'agents/slow.ts'),
      agent('slow', "await turn.working('Wait'); await delay(3_000); return turn.complete('late');"),
    );
    await writeFile(join(folder, 'agents/parent.ts'), agent('parent', orphans));
    await makeBaseImages();
    await podman('build', '--network', 'host', '--format', 'docker', '--tag', image, '.');
  }, 1_800_000);

  afterAll(async () => {
    await redis?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    for (const name of started.splice(0)) await podman('rm', '--force', '--time', '0', name);
  });

  /** As compose and Kubernetes start it: read-only, without capabilities. @returns its name */
  async function start(command: readonly string[], options: readonly string[] = [], of = image): Promise<string> {
    const locked = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
    const env = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const name = uniquePrefix();
    started.push(name);
    await podman('run', '--detach', '--name', name, '--network', 'host', ...locked, ...env, ...options, of, ...command);
    return name;
  }

  const isReady = () =>
    get(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  const agents = ['--volume', `${'{folder}'}/agents:/agents:ro`];
  const mounted = () => agents.map((word) => word.replace('{folder}', folder));

  async function open(): Promise<void> {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    settings = {
      REDIS_URL: redis.url,
      KEY_PREFIX: uniquePrefix(),
      HOST: '127.0.0.1',
      PORT: String(port),
      GRPC_PORT: 'off',
      METRICS_PORT: String(await freePort()),
    };
  }

  async function untilServed(id: string): Promise<void> {
    const isServed = async () =>
      (await get<{ agents: { id: string }[] }>(`${url}/agents`)).body.agents.some((one) => one.id === id);
    await until(async () => (await isReady()) && (await isServed()), { what: `${id} is served`, timeoutMs: 60_000 });
  }

  it('has a numeric user, labels and a health check, but no shell and no package manager', async () => {
    const [{ Config, Healthcheck, Size }] = JSON.parse(await podman('image', 'inspect', image));
    expect(Config.User).toBe('65532:65532');
    expect(Healthcheck.Test).toEqual(['CMD', 'node', '/app/health.mjs']);
    expect(Config.Labels).toMatchObject({ 'org.opencontainers.image.licenses': 'Apache-2.0' });
    expect(Size).toBeLessThan(220e6);
    for (const program of ['/bin/sh', '/usr/bin/apt-get', '/usr/local/bin/npm'])
      await expect(podman('run', '--rm', '--network', 'none', '--entrypoint', program, image)).rejects.toThrow(
        /no such file|not found/,
      );
  });

  it('contains a complete list of its packages (SBOM)', async () => {
    const text = await podman('run', '--rm', '--network', 'none', '--entrypoint', 'node', image, '-p', readSbom);
    await writeFile('build/sbom.cdx.json', text);
    const sbom = JSON.parse(text);
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX' });
    const listed = sbom.components.map((component: Listed) => component['bom-ref']);
    const installed = JSON.parse(
      await podman('run', '--rm', '--network', 'none', '--entrypoint', 'node', image, '-p', packagesThere),
    );
    expect(installed.length).toBeGreaterThan(100);
    expect(installed.filter((name: string) => !listed.includes(name))).toEqual([]);
  });

  it('serves mounted agents, read-only and as its user, and passes its health check', async () => {
    await open();
    const [gateway, worker] = [await start(['gateway']), await start(['worker'], mounted())];
    await untilServed('greeter');
    const task = await send(`${url}/agents/greeter`, userMessage('Ada'));
    expect(task.status.message?.parts).toMatchObject([{ text: 'Hello, Ada' }]);
    for (const name of [gateway, worker]) {
      await untilHealthy(name);
      expect(await podman('top', name, 'user', 'args')).toMatch(/^65532 +\/usr\/bin\/tini -- node/m);
    }
    await expect(podman('exec', gateway, 'node', '-e', "fs.writeFileSync('/app/x', '')")).rejects.toThrow(
      /EROFS|EACCES/,
    );
  });

  it('is ready within three seconds of processor time, also on a busy machine', async () => {
    await open();
    const gateway = await start(['gateway']);
    await until(isReady, { what: 'it is ready', timeoutMs: 60_000 });
    const tini = await podman('inspect', '--format', '{{.State.Pid}}', gateway);
    const [node] = descendantsOf(Number(tini));
    expect(processorMs(await readFile(`/proc/${node?.pid}/stat`, 'utf8'))).toBeLessThan(3_000);
  });

  it('runs a gateway and workers in one container, with agents named by a pattern', async () => {
    await open();
    const name = await start(['all', '/agents/gr*.ts'], mounted());
    await untilServed('greeter');
    expect((await get<{ agents: object[] }>(`${url}/agents`)).body.agents).toHaveLength(1);
    await untilHealthy(name);
    await podman('stop', '--time', '20', name);
    expect(await podman('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0');
  });

  it('is the base of an image with agents', async () => {
    await open();
    await writeFile(join(folder, 'Dockerfile'), `FROM ${image}\nCOPY agents /agents\nCMD ["worker"]\n`);
    await podman('build', '--format', 'docker', '--tag', `${image}-agents`, folder);
    await start(['gateway']);
    await start([], [], `${image}-agents`);
    await untilServed('greeter');
    expect((await send(`${url}/agents/greeter`, userMessage('Bo'))).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('drains on SIGTERM: another worker continues a running turn, and no request fails', async () => {
    await open();
    const gateway = await start(['gateway']);
    const first = await start(['worker'], mounted());
    await untilServed('slow');
    const { id } = await submit(`${url}/agents/slow`, userMessage('x'));
    const state = async () => (await getTask(`${url}/agents/slow`, id)).status.state;
    await until(async () => (await state()) === 'TASK_STATE_WORKING', { what: 'it runs', timeoutMs: 30_000 });
    settings = { ...settings, METRICS_PORT: String(await freePort()) };
    await start(['worker'], mounted());
    await podman('stop', '--time', '15', first);
    expect(await podman('inspect', '--format', '{{.State.ExitCode}}', first)).toBe('0');
    const waiting = send(`${url}/agents/slow`, userMessage('y'));
    await until(async () => (await state()) === 'TASK_STATE_COMPLETED', { what: 'it ends', timeoutMs: 30_000 });
    expect((await waiting).status.state).toBe('TASK_STATE_COMPLETED');
    await podman('stop', '--time', '15', gateway);
    expect(await podman('inspect', '--format', '{{.State.ExitCode}}', gateway)).toBe('0');
  });

  it("reaps orphaned processes of an agent's program", async () => {
    await open();
    await start(['gateway']);
    const worker = await start(['worker'], mounted());
    await untilServed('parent');
    expect((await send(`${url}/agents/parent`, userMessage('x'))).status.state).toBe('TASK_STATE_COMPLETED');
    await until(async () => (await podman('top', worker, 'pid', 'state')).trim().split('\n').length === 3, {
      what: 'only tini and the worker run',
      timeoutMs: 30_000,
    });
  });

  it('exits with the name of the missing setting if it would be open to everybody', async () => {
    await open();
    settings = { ...settings, HOST: '0.0.0.0' };
    const name = await start(['gateway']);
    await until(async () => (await podman('inspect', '--format', '{{.State.Status}}', name)) === 'exited', {
      what: 'it ends',
      timeoutMs: 30_000,
    });
    expect(await podman('logs', name)).toContain('ALLOW_ANONYMOUS');
  });
});

/** From a line of /proc/<pid>/stat: time in user mode and in the kernel, in hundredths of a second. */
function processorMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

interface Listed {
  readonly 'bom-ref': string;
}

const readSbom = "fs.readFileSync('/app/sbom.cdx.json', 'utf8')";
const packagesThere = `JSON.stringify(fs.globSync('/app/**/node_modules/{*,@*/*}/package.json')
  .map((file) => JSON.parse(fs.readFileSync(file, 'utf8'))).filter(({ name, version }) => name && version)
  .map(({ name, version }) => name + '@' + version))`;
