import type { Credentials } from '@switchyard/access';
import type { Ops } from '@switchyard/operators';
import { A2AError } from '@switchyard/protocol';
import type { ScheduleList } from '@switchyard/schedules';
import type { Deployment } from '../deployments/deployment.ts';
import type { AdminBackend } from './route.ts';
import { SeriesRecorder } from './series.ts';

/** What is the same for all deployments of a gateway. */
export type SharedByBackends = Pick<
  AdminBackend,
  'files' | 'readiness' | 'streams' | 'clientsNeedKeys' | 'deployments' | 'fileChanges'
>;

/** A deployment, for operators. What needs it throws Unavailable until the gateway has reached it. */
export class DeploymentBackend implements AdminBackend {
  readonly deployment: number | undefined;
  readonly files: AdminBackend['files'];
  readonly readiness: AdminBackend['readiness'];
  readonly streams: AdminBackend['streams'];
  readonly clientsNeedKeys: boolean;
  readonly deployments: AdminBackend['deployments'];
  readonly fileChanges: AdminBackend['fileChanges'];
  readonly series: SeriesRecorder;
  readonly #deployment: Deployment;

  constructor(deployment: Deployment, shared: SharedByBackends) {
    this.#deployment = deployment;
    this.deployment = shared.deployments && deployment.number;
    this.files = shared.files;
    this.readiness = shared.readiness;
    this.streams = shared.streams;
    this.clientsNeedKeys = shared.clientsNeedKeys;
    this.deployments = shared.deployments;
    this.fileChanges = shared.fileChanges;
    this.series = new SeriesRecorder({
      queues: () => this.ops.queues(),
      redisBytes: () => this.ops.redisBytes(),
      workers: () => this.ops.workers.list(),
      openStreams: () => shared.streams().used,
    });
  }

  get number(): number {
    return this.#deployment.number;
  }

  get ops(): Ops {
    return this.#reached.ops;
  }

  get credentials(): Credentials {
    return this.#reached.requests.credentials;
  }

  get schedules(): ScheduleList {
    return this.#reached.requests.schedules;
  }

  get feeds(): AdminBackend['feeds'] {
    return this.#reached.store.feeds;
  }

  get #reached(): Deployment {
    if (this.#deployment.isConnected) return this.#deployment;
    throw new A2AError('Unavailable', `Deployment ${this.number} does not answer`, { retryAfterSeconds: 1 });
  }
}
