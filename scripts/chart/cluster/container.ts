import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type GuardedProcess, spawnGuarded } from '@switchyard/local';
import type { Container, EnvVar, PodSpec, Secret, Volume } from 'kubernetes-types/core/v1.js';
import type { ApiServer } from './api.ts';
import type { Host } from './network.ts';

export interface ContainerParts {
  readonly api: ApiServer;
  readonly namespace: string;
  readonly host: Host;
  /** A folder of its own: its volumes are below. */
  readonly folder: string;
}

/** What the images of the chart would run, from this tree. */
const programs: Readonly<Record<string, readonly string[]>> = {
  gateway: [process.execPath, 'apps/gateway/src/main.ts'],
  worker: [process.execPath, 'apps/worker/src/main.ts'],
  'redis-server': ['redis-server'],
  node: [process.execPath],
};

/** Runs the first container of a pod as a process on its host, with its variables, arguments and secrets. */
export async function startContainer(spec: PodSpec, parts: ContainerParts): Promise<GuardedProcess> {
  const [container] = spec.containers;
  if (!container) throw new Error('the pod has no container');
  for (const volume of spec.volumes ?? []) await mount(volume, container, parts);
  const [name = '', ...args] = [...(container.command ?? []), ...(container.args ?? [])];
  const program = programs[name];
  if (!program) throw new Error(`no image has ${name}`);
  const words = [...program, ...args].map((word) => atHome(word, container, parts.folder));
  const env = Object.fromEntries(
    await Promise.all((container.env ?? []).map(async (one) => [one.name, await textOf(one, container, parts)])),
  );
  return spawnGuarded('ip', ['netns', 'exec', parts.host.name, ...words], {
    env: { PATH: process.env.PATH ?? '', HOME: parts.folder, ...env },
  });
}

async function mount(volume: Volume, container: Container, { api, namespace, folder }: ContainerParts): Promise<void> {
  const path = container.volumeMounts?.find(({ name }) => name === volume.name)?.mountPath ?? `/${volume.name}`;
  mkdirSync(join(folder, path), { recursive: true });
  const sources = volume.projected?.sources ?? [
    { secret: { name: volume.secret?.secretName, items: volume.secret?.items } },
  ];
  for (const { secret } of sources) {
    if (!secret?.name) continue;
    const { data = {} } = await api.get<Secret>(`/api/v1/namespaces/${namespace}/secrets/${secret.name}`);
    const items = secret.items ?? Object.keys(data).map((key) => ({ key, path: key }));
    for (const item of items) {
      const file = join(folder, path, item.path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, Buffer.from(data[item.key] ?? '', 'base64'));
    }
  }
}

/** Paths of mounts lead below the folder; /agents to the agents of this try. */
function atHome(word: string, container: Container, folder: string): string {
  if (word.startsWith('/agents/')) return join('scripts/chart/cluster', word);
  const mounted = container.volumeMounts?.some(
    ({ mountPath }) => word === mountPath || word.startsWith(`${mountPath}/`),
  );
  return mounted ? join(folder, word) : word;
}

async function textOf(
  variable: EnvVar,
  container: Container,
  { api, namespace, folder }: ContainerParts,
): Promise<string> {
  const from = variable.valueFrom?.secretKeyRef;
  if (!from) return atHome(variable.value ?? '', container, folder);
  const { data = {} } = await api.get<Secret>(`/api/v1/namespaces/${namespace}/secrets/${from.name}`);
  return Buffer.from(data[from.key] ?? '', 'base64').toString();
}
