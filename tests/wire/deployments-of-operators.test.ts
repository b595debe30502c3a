import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Credentials } from '@switchyard/access';
import { deploymentOf } from '@switchyard/store';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { json, run } from '../../apps/cli/test/support/run.ts';
import { Deployments, sendAs, subjects } from '../../apps/gateway/test/deployments/support.ts';

// The commands for operators, at a gateway of several deployments.

const placed = [
  { number: 0, share: 1 },
  { number: 1, share: 1 },
];
const key = 'a-key-for-operators';
const deployments = new Deployments();
const fileChanges: { text: string | undefined } = { text: undefined };
let url: string;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  for (const { number } of placed) await deployments.add(number);
  const admin = { host: '127.0.0.1', port: 0, key, hasConsole: false };
  const { url: served, adminUrl = '' } = await deployments.serve(placed, { admin, fileChanges });
  url = served;
  folder = await mkdtemp(join(tmpdir(), 'deployments-'));
  const file = join(folder, 'deployments.json');
  const listed = placed.map(({ number }) => {
    return { number, redisUrl: inject('redisUrl'), prefix: deployments.storeOf(number).settings.prefix };
  });
  await writeFile(file, JSON.stringify({ deployments: listed }));
  env = { SWITCHYARD_OPERATOR_URL: adminUrl, ADMIN_KEY: key, DEPLOYMENTS_FILE: file };
});

afterAll(async () => {
  await deployments[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function taskIn1(): Promise<string> {
  for (const subject of subjects) {
    const { id } = await sendAs(url, subject);
    if (deploymentOf(id) === 1) return id;
  }
  throw new Error('no principal is in deployment 1');
}

describe('switchyard, at a gateway of several deployments', () => {
  it('shows one, says which, and takes another one', async () => {
    const id = await taskIn1();
    const own = await run(['queue'], { env });
    expect([own.code, own.err]).toEqual([0, 'deployment 0 (of several: --deployment <number> chooses one)\n']);
    const other = await run(['queue', 'list', '--deployment', '1'], { env });
    expect([other.code, other.err]).toEqual([0, '']);
    expect(other.out).toMatch(/^echo +ready +1 +[1-9]/m);
    const retried = await run(['dead', 'retry', '--all', '--yes'], { env });
    expect([retried.code, retried.err]).toEqual([0, expect.stringContaining('deployment 0 (of several: ')]);
    const none = await run(['dead', '--deployment', '7'], { env });
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('must be one of this gateway: 0, 1')]);
    const { document } = await json(['why', id], { env });
    expect(document).toMatchObject({ taskId: id, state: 'TASK_STATE_SUBMITTED' });
  });

  it('doctor checks each of them', async () => {
    const { out } = await run(['doctor', '--agent-card', 'http://127.0.0.1:49999'], { env });
    for (const number of [0, 1]) {
      expect(out).toMatch(new RegExp(`^Ok: Deployment ${number}: (?:Redis|Valkey) \\d`, 'm'));
      expect(out).toMatch(new RegExp(`^Ok: Deployment ${number}: The agent echo has a worker`, 'm'));
    }
  });

  it('doctor says that the file is not what the gateway has read', async () => {
    const look = async () => (await run(['doctor', '--agent-card', 'http://127.0.0.1:49999'], { env })).out;
    expect(await look()).not.toContain('DEPLOYMENTS_FILE');
    fileChanges.text = 'deployment 2 is new';
    expect(await look()).toMatch(
      /^Warning: DEPLOYMENTS_FILE is not what the gateway has read at its start: deployment 2 is new\nDo: Restart all/m,
    );
    fileChanges.text = undefined;
  });

  it('doctor says which one does not answer', async () => {
    await using own = new Deployments();
    for (const { number } of placed) await own.add(number);
    const admin = { host: '127.0.0.1', port: 0, key, hasConsole: false };
    const { adminUrl = '' } = await own.serve(placed, { admin, away: [1] });
    const { out } = await run(['doctor'], { env: { ...env, SWITCHYARD_OPERATOR_URL: adminUrl } });
    expect(out).toMatch(/^Problem: Deployment 1 does not answer\nDo: Start its Redis/m);
    expect(out).toMatch(/^Ok: Deployment 0: The agent echo has a worker/m);
  });

  it('creates a key in the deployment that DEPLOYMENT names', async () => {
    const { document } = await json(['keys', 'create', '--subject', 'ada'], { env: { ...env, DEPLOYMENT: '1' } });
    expect(await new Credentials(deployments.storeOf(1).inside).find(document.id)).toMatchObject({ subject: 'ada' });
    const { err } = await run(['keys', 'list'], { env: { ...env, DEPLOYMENT: '7' } });
    expect(err).toContain('has no deployment 7');
  });
});
