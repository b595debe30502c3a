import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { GuardedProcess } from '@switchyard/local';
import type { PodSpec, PodStatus, Probe, ServiceSpec } from 'kubernetes-types/core/v1.js';
import type { ApiServer, Stored } from './api.ts';
import { startContainer } from './container.ts';
import type { Host, Network } from './network.ts';
import { Replicas } from './replicas.ts';

interface Pod extends Stored {
  readonly spec: PodSpec;
  readonly status: PodStatus;
}

interface Running {
  readonly host: Host;
  readonly process: GuardedProcess;
  isReady: boolean;
  isStopping: boolean;
}

const nodeName = 'this-machine';

/**
 * A node of the cluster, in place of scheduler, kubelet, container engine, DNS and proxy: takes every pod, runs its
 * container as a process on a host of its own, asks its readiness probe, and ends it in the order that Kubernetes has.
 * Pods are made by `Replicas`. Liveness is not asked, and no network policy holds.
 */
export class StandInNode {
  readonly #api: ApiServer;
  readonly #network: Network;
  readonly #folder: string;
  readonly #tell: (line: string) => void;
  readonly #running = new Map<string, Running>();
  readonly #replicas: Replicas;
  #isStopped = false;

  constructor(api: ApiServer, network: Network, { folder, tell }: { folder: string; tell: (line: string) => void }) {
    this.#api = api;
    this.#network = network;
    this.#folder = folder;
    this.#tell = tell;
    this.#replicas = new Replicas(api);
  }

  async run(): Promise<void> {
    await this.#api.create('/api/v1/nodes', { metadata: { name: nodeName } });
    while (!this.#isStopped) {
      await this.#replicas.look().catch((error: unknown) => this.#tell(String(error)));
      const pods = await this.#api.list<Pod>('/api/v1/pods');
      await Promise.all(pods.map((pod) => this.#look(pod).catch((error: unknown) => this.#tell(String(error)))));
      await this.#resolveServices(pods);
      await delay(500);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#running.values()].map(({ process }) => process.stop()));
  }

  async #look(pod: Pod): Promise<void> {
    const running = this.#running.get(pod.metadata.uid);
    if (pod.metadata.deletionTimestamp) {
      if (!running) await this.#api.remove(pathOf(pod), { gracePeriodSeconds: 0 });
      else if (!running.isStopping) void this.#end(pod, running);
    } else if (!running) await this.#begin(pod);
    else if (running.process.isRunning()) await this.#probe(pod, running);
    else await this.#ended(pod, running);
  }

  async #begin(pod: Pod): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    if (!pod.spec.nodeName) {
      const target = { apiVersion: 'v1', kind: 'Node', name: nodeName };
      await this.#api.create(`${pathOf(pod)}/binding`, { metadata: { name }, target });
    }
    const host = this.#network.add();
    const folder = join(this.#folder, name);
    mkdirSync(folder, { recursive: true });
    const process = await startContainer(pod.spec, { api: this.#api, namespace, host, folder });
    for (const stream of [process.stdout, process.stderr]) stream.on('data', (text) => this.#keep(name, String(text)));
    this.#running.set(uid, { host, process, isReady: false, isStopping: false });
    this.#tell(`${name} starts at ${host.address}`);
    await this.#report(pod, host, false);
  }

  /** A test is over; anything else is started again. */
  async #ended(pod: Pod, { host, process }: Running): Promise<void> {
    const { name, uid } = pod.metadata;
    if (pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed') return;
    const code = await process.exited;
    this.#tell(`${name} has ended with ${code}: ${this.#logs.get(name)?.slice(-300)}`);
    if (pod.spec.restartPolicy === 'Never')
      return this.#api.patch(`${pathOf(pod)}/status`, { status: { phase: code === 0 ? 'Succeeded' : 'Failed' } });
    this.#running.delete(uid);
    this.#network.remove(host);
  }

  readonly #logs = new Map<string, string>();

  #keep(name: string, text: string): void {
    this.#logs.set(name, ((this.#logs.get(name) ?? '') + text).slice(-20_000));
  }

  async #probe(pod: Pod, running: Running): Promise<void> {
    const [container] = pod.spec.containers;
    const port = container?.ports?.find(({ name }) => name === container.readinessProbe?.httpGet?.port)?.containerPort;
    const isReady = await answers(container?.readinessProbe, running.host.address, port);
    if (isReady === running.isReady) return;
    running.isReady = isReady;
    this.#tell(`${pod.metadata.name} is ${isReady ? '' : 'not '}ready`);
    await this.#report(pod, running.host, isReady);
  }

  async #report(pod: Pod, { address }: Host, isReady: boolean): Promise<void> {
    const status = isReady ? 'True' : 'False';
    const now = new Date().toISOString();
    const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: type === 'PodScheduled' || type === 'Initialized' ? 'True' : status,
      lastTransitionTime: now,
    }));
    await this.#api.patch(`${pathOf(pod)}/status`, {
      status: { phase: 'Running', podIP: address, podIPs: [{ ip: address }], startTime: now, conditions },
    });
  }

  /** The preStop hook, SIGTERM, and SIGKILL when the grace period is over. */
  async #end(pod: Pod, running: Running): Promise<void> {
    running.isStopping = true;
    const { name, uid, deletionGracePeriodSeconds: grace = 30 } = pod.metadata;
    const beganAt = performance.now();
    const hook = pod.spec.containers[0]?.lifecycle?.preStop as
      | { readonly sleep?: { readonly seconds: number } }
      | undefined;
    await delay((hook?.sleep?.seconds ?? 0) * 1_000);
    const code = await running.process.stop(grace * 1_000 - (performance.now() - beganAt));
    const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1);
    this.#tell(`${name} has ended with ${code} after ${seconds} of ${grace} s`);
    this.#running.delete(uid);
    this.#network.remove(running.host);
    await this.#api.remove(pathOf(pod), { gracePeriodSeconds: 0 });
  }

  /** Each service leads to the first of its pods that is ready; that of Redis to its pod, ready or not. */
  async #resolveServices(pods: readonly Pod[]): Promise<void> {
    const services = await this.#api.list<Stored & { readonly spec: ServiceSpec }>('/api/v1/services');
    const names = services.flatMap(({ metadata: { name, namespace }, spec: { selector } }) => {
      const behind = pods.filter(({ metadata: { labels = {}, uid } }) => {
        const isOfIt = selector && Object.entries(selector).every(([key, value]) => labels[key] === value);
        const running = this.#running.get(uid);
        return isOfIt && running && !running.isStopping && (running.isReady || name.endsWith('-redis'));
      });
      const address = this.#running.get(behind[0]?.metadata.uid ?? '')?.host.address;
      return address ? [name, `${name}.${namespace}.svc`].map((host) => [host, address] as const) : [];
    });
    this.#network.setNames(Object.fromEntries(names));
  }
}

function pathOf({ metadata: { name, namespace } }: Stored): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

/** Those of Redis run in its image; here its process is enough. */
async function answers(probe: Probe | undefined, address: string, port: number | undefined): Promise<boolean> {
  const { httpGet, timeoutSeconds = 1 } = probe ?? {};
  if (!httpGet || port === undefined) return true;
  const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
  return fetch(`http://${address}:${port}${httpGet.path}`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
