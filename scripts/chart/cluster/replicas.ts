import { createHash } from 'node:crypto';
import type { DeploymentSpec } from 'kubernetes-types/apps/v1.js';
import type { PodSpec, PodStatus } from 'kubernetes-types/core/v1.js';
import type { ApiServer, Stored } from './api.ts';

interface Workload extends Stored {
  readonly kind?: string;
  readonly spec: DeploymentSpec;
}

interface Pod extends Stored {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

const templateLabel = 'try/template';

/**
 * In place of the controllers of Deployments and StatefulSets: as many pods as each asks for, of its latest template;
 * an old one goes when a new one is ready. A StatefulSet has one pod here.
 */
export class Replicas {
  readonly #api: ApiServer;
  #next = 0;

  constructor(api: ApiServer) {
    this.#api = api;
  }

  async look(): Promise<void> {
    for (const kind of ['deployments', 'statefulsets'])
      for (const workload of await this.#api.list<Workload>(`/apis/apps/v1/${kind}`))
        await this.#follow(kind, workload);
  }

  async #follow(kind: string, { metadata: { name, namespace }, spec }: Workload): Promise<void> {
    const { replicas = 1, selector, template } = spec;
    const wanted = createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10);
    const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const all = await this.#api.list<Pod>(`${pods}?labelSelector=${encodeURIComponent(labels.join(','))}`);
    const alive = all.filter(({ metadata }) => !metadata.deletionTimestamp);
    const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[templateLabel] === wanted;
    const latest = alive.filter(isNew);
    const old = alive.filter((pod) => !isNew(pod));
    const surplus = [
      ...old.slice(0, Math.max(0, latest.filter(isReady).length + old.length - replicas)),
      ...latest.slice(replicas),
    ];
    for (const { metadata } of surplus) await this.#api.remove(`${pods}/${metadata.name}`);
    const isFree = kind === 'deployments' || all.length === 0;
    for (let i = latest.length; isFree && i < replicas; i++) {
      const own = {
        name: kind === 'deployments' ? `${name}-${this.#next++}` : `${name}-0`,
        labels: { ...template.metadata?.labels, [templateLabel]: wanted },
      };
      await this.#api.create(pods, { metadata: own, spec: { ...template.spec, volumes: volumesOf(spec) } });
    }
    await this.#api.patch(`/apis/apps/v1/namespaces/${namespace}/${kind}/${name}/status`, {
      status: { replicas: alive.length, readyReplicas: alive.filter(isReady).length },
    });
  }
}

/** What claims of volumes would bring. */
function volumesOf(
  spec: DeploymentSpec & {
    readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name?: string } }[];
  },
) {
  const claimed = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    name: metadata?.name ?? '',
    emptyDir: {},
  }));
  return [...(spec.template.spec?.volumes ?? []), ...claimed];
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}
