import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Pod, Secret } from 'kubernetes-types/core/v1.js';
import type { Stored } from './api.ts';
import type { ControlPlane } from './control-plane.ts';

const namespace = 'agents';
const chart = 'deploy/helm/switchyard';
const worker = 'switchyard-worker-slow';

/** What is tried with the chart in a cluster, in order; each step says what it saw, and after how long. */
export class Trial {
  readonly #plane: ControlPlane;
  readonly #tell: (line: string) => void;
  readonly #values = ['--values', `${chart}/ci/try.yaml`];

  constructor(plane: ControlPlane, tell: (line: string) => void) {
    this.#plane = plane;
    this.#tell = tell;
  }

  /** In a namespace that lets in restricted pods only. */
  async install(isScaled: boolean): Promise<void> {
    const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await this.#plane.kubectl('create', 'namespace', namespace);
    for (const [label, value] of Object.entries(restricted))
      await this.#plane.kubectl('label', 'namespace', namespace, `${label}=${value}`);
    this.#values.push('--set', `workers.slow.scaling.enabled=${isScaled}`);
    await this.#plane.helm('install', 'switchyard', chart, '--namespace', namespace, ...this.#values);
    this.#tell('the chart is installed');
  }

  async becomesReady(): Promise<void> {
    await this.#until('two gateways are ready', async () => (await this.#readyAt('switchyard-gateway')).length === 2);
    await this.#until('a worker has announced its agent', async () => (await this.#ask('/agents')).includes('"slow"'));
    const test = await this.#plane.helm('test', 'switchyard', '--namespace', namespace);
    this.#tell(`helm test: ${/Phase:\s+\w+/.exec(test)?.[0]}`);
  }

  async goesToZero(): Promise<void> {
    await this.#until('no worker is left', async () => (await this.#podsOf(worker)).length === 0, 300);
  }

  /** Messages to a set that is at zero. */
  async isWokenBy(count: number): Promise<void> {
    const ids = await Promise.all(Array.from({ length: count }, () => this.#send()));
    this.#tell(`${ids.length} messages are accepted without a worker`);
    const first = this.#until('the first worker is ready', async () => (await this.#readyAt(worker)).length > 0);
    let most = 0;
    await first;
    await this.#until(
      `all ${count} tasks are completed`,
      async () => {
        most = Math.max(most, await this.#replicas());
        const states = await Promise.all(ids.map((id) => this.#ask(`/agents/slow/tasks/${id}`)));
        return states.every((task) => task.includes('TASK_STATE_COMPLETED'));
      },
      300,
    );
    this.#tell(`the most workers at once: ${most}`);
  }

  async answersFromZero(): Promise<void> {
    const beganAt = performance.now();
    const state = await this.#send(false);
    this.#tell(
      `a client that waited had its answer after ${((performance.now() - beganAt) / 1_000).toFixed(1)} s: ${state}`,
    );
  }

  async bearsALostRedis(): Promise<void> {
    const before = (await this.#podsOf('switchyard-gateway')).map(({ metadata }) => metadata.uid).sort();
    await this.#plane.kubectl('--namespace', namespace, 'delete', 'pod', 'switchyard-redis-0', '--wait=false');
    await this.#until('no gateway is ready', async () => (await this.#readyAt('switchyard-gateway')).length === 0);
    await this.#until('two gateways are ready', async () => (await this.#readyAt('switchyard-gateway')).length === 2);
    const after = (await this.#podsOf('switchyard-gateway')).map(({ metadata }) => metadata.uid).sort();
    this.#tell(`the same gateways: ${before.join() === after.join()}`);
  }

  /** An upgrade replaces all pods, while messages are sent; each is to be accepted by a gateway that is ready. */
  async isUpgraded(): Promise<void> {
    const secrets = await this.#secrets();
    const old = new Set((await this.#podsOf('switchyard-gateway')).map(({ metadata }) => metadata.uid));
    const values = [...this.#values, '--set', 'settings.LOG_LEVEL=debug'];
    await this.#plane.helm('upgrade', 'switchyard', chart, '--namespace', namespace, ...values);
    let accepted = 0;
    let failed = 0;
    await this.#until(
      'all gateways are new ones',
      async () => {
        await this.#send().then(
          () => accepted++,
          () => failed++,
        );
        const pods = await this.#podsOf('switchyard-gateway');
        return pods.length === 2 && pods.every(({ metadata }) => !old.has(metadata.uid));
      },
      300,
    );
    this.#tell(`meanwhile ${accepted} messages were accepted, ${failed} failed`);
    this.#tell(`secrets are what they were: ${secrets === (await this.#secrets())}`);
  }

  async #secrets(): Promise<string> {
    const secrets = await this.#plane.api.list<Stored & Secret>(`/api/v1/namespaces/${namespace}/secrets`);
    return JSON.stringify(secrets.filter(({ type }) => type === 'Opaque').map(({ data }) => data));
  }

  async #replicas(): Promise<number> {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${worker}`;
    return (await this.#plane.api.get<Deployment>(path)).spec?.replicas ?? 0;
  }

  async #podsOf(owner: string): Promise<readonly (Stored & Pod)[]> {
    const pods = await this.#plane.api.list<Stored & Pod>(`/api/v1/namespaces/${namespace}/pods`);
    return pods.filter(({ metadata }) => metadata.name.startsWith(`${owner}-`));
  }

  /** Addresses of its pods that are ready, and do not stop. */
  async #readyAt(owner: string): Promise<string[]> {
    const ready = (await this.#podsOf(owner)).filter(
      ({ metadata, status }) =>
        !metadata.deletionTimestamp &&
        status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );
    return ready.map(({ status }) => status?.podIP ?? '');
  }

  async #ask(path: string, body?: object): Promise<string> {
    const gateways = await this.#readyAt('switchyard-gateway');
    const gateway = gateways[Math.floor(Math.random() * gateways.length)];
    if (gateway === undefined) throw new Error('no gateway is ready');
    const { data } = await this.#plane.api.get<Secret>(`/api/v1/namespaces/${namespace}/secrets/switchyard-gateway`);
    const [key = ''] = Buffer.from(data?.['api-keys'] ?? '', 'base64')
      .toString()
      .split(':');
    const response = await fetch(`http://${gateway}:4000${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'x-api-key': key, 'a2a-version': '1.0', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text;
  }

  /** @returns the task's id, or its state if it was waited for */
  async #send(returnImmediately = true): Promise<string> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Take your time' }] };
    const answer = await this.#ask('/agents/slow/message:send', { message, configuration: { returnImmediately } });
    const { task } = JSON.parse(answer);
    return returnImmediately ? task.id : task.status.state;
  }

  async #until(what: string, holds: () => Promise<boolean>, withinSeconds = 120): Promise<void> {
    const beganAt = performance.now();
    const seconds = (): number => (performance.now() - beganAt) / 1_000;
    while (!(await holds().catch(() => false))) {
      if (seconds() > withinSeconds) throw new Error(`not within ${withinSeconds} s: ${what}`);
      await delay(250);
    }
    this.#tell(`${what} after ${seconds().toFixed(1)} s`);
  }
}
