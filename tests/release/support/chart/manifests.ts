import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Container, PodSpec } from 'kubernetes-types/core/v1.js';
import { parseAllDocuments } from 'yaml';
import { isManifest, type Kinds, type Manifest } from './kinds.ts';

const chart = 'deploy/helm/switchyard';

/** The rendered chart, or the error. */
export interface Rendered {
  readonly manifests: readonly Manifest[];
  readonly problem: string;
}

/** Renders the chart with files of values from its ci/, and values as with `--set-json`. */
export function render(
  helm: string,
  files: readonly string[],
  values: Readonly<Record<string, unknown>> = {},
): Rendered {
  const given = files.flatMap((name) => ['--values', join(chart, 'ci', `${name}.yaml`)]);
  const set = Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
  const args = ['template', 'our', chart, '--namespace', 'agents', '--kube-version', '1.30.0', ...given, ...set];
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) return { manifests: [], problem: stderr };
  const objects: unknown[] = parseAllDocuments(stdout).map((document) => document.toJS());
  return { manifests: objects.filter((object) => object !== null).map(manifest), problem: '' };
}

function manifest(object: unknown): Manifest {
  if (isManifest(object)) return object;
  throw new Error(`the chart renders what it should not: ${JSON.stringify(object).slice(0, 200)}`);
}

/** The manifests of a kind, by name. */
export function ofKind<Kind extends Manifest['kind']>(
  { manifests }: Rendered,
  kind: Kind,
): ReadonlyMap<string, Extract<Manifest, { kind: Kind }>> {
  const some = manifests.filter((one): one is Extract<Manifest, { kind: Kind }> => one.kind === kind);
  return new Map(some.map((one) => [one.metadata?.name ?? '', one]));
}

/** Every pod of the chart, by the name of its owner. */
export function podsOf(rendered: Rendered): ReadonlyMap<string, PodSpec> {
  const made = [...ofKind(rendered, 'Deployment'), ...ofKind(rendered, 'StatefulSet')];
  const pods = made.map(([name, { spec }]) => [name, spec?.template.spec] as const);
  const tests = [...ofKind(rendered, 'Pod')].map(([name, { spec }]) => [name, spec] as const);
  return new Map([...pods, ...tests].flatMap(([name, spec]) => (spec ? [[name, spec] as const] : [])));
}

/** Labels of every pod, by the name of its owner. */
export function labelsOfPods(rendered: Rendered): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const made = [...ofKind(rendered, 'Deployment'), ...ofKind(rendered, 'StatefulSet')];
  return new Map(made.map(([name, { spec }]) => [name, spec?.template.metadata?.labels ?? {}]));
}

export function containerOf(pod: PodSpec | undefined): Container {
  const [container] = pod?.containers ?? [];
  if (!container) throw new Error('there is no such pod');
  return container;
}

/** Variables of a pod's container with a literal value. */
export function environmentOf(pod: PodSpec | undefined): Record<string, string> {
  return Object.fromEntries(
    (containerOf(pod).env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * The compiler's errors for the manifests: fields that are unknown to Kubernetes, missing, or of a wrong type.
 * Written as a module of literals, so that unknown fields are found at any depth.
 */
export function typeProblems({ manifests }: Rendered, name: string): string {
  const folder = join('node_modules', '.cache', 'chart', name);
  mkdirSync(folder, { recursive: true });
  const lines = manifests.map((one, i) => {
    const kind: keyof Kinds | string = `${one.apiVersion} ${one.kind}`;
    return `export const m${i}: Kinds['${kind}'] = ${JSON.stringify(one, undefined, 1)};`;
  });
  const kinds = '../../../../tests/release/support/chart/kinds.ts';
  writeFileSync(join(folder, 'manifests.ts'), [`import type { Kinds } from '${kinds}';`, ...lines].join('\n'));
  const tsconfig = { extends: join(process.cwd(), 'tsconfig.json'), include: ['manifests.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  return spawnSync('tsc', ['--project', folder], { encoding: 'utf8' }).stdout;
}
