import { existsSync } from 'node:fs';
import { join } from 'node:path';

interface Job {
  readonly job_name: string;
  readonly dns_sd_configs: readonly { readonly names: readonly string[]; readonly port: number }[];
  readonly authorization: { readonly credentials_file: string };
}

export interface PrometheusConfig {
  readonly rule_files: readonly string[];
  readonly scrape_configs: readonly Job[];
}

interface Watched {
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
}

/** Finds jobs that would meet nothing: no such service, another port, no common network, no key. */
export function checkPrometheus(
  { rule_files, scrape_configs }: PrometheusConfig,
  services: Readonly<Record<string, Watched>>,
  folder: string,
): string[] {
  const problems = [
    ...rule_files.filter((file) => !existsSync(join(folder, file))).map((file) => `${file} does not exist`),
    ...scrape_configs.flatMap((job) => keyProblems(job, services.prometheus)),
    ...scrape_configs.flatMap(({ dns_sd_configs }) =>
      dns_sd_configs.flatMap(({ names, port }) =>
        names.flatMap((name) => targetProblems(name, port, { service: services[name], by: services.prometheus })),
      ),
    ),
  ];
  return problems.map((problem) => `${join(folder, 'prometheus.yml')}: ${problem}`);
}

function targetProblems(
  name: string,
  port: number,
  { service, by }: { readonly service: Watched | undefined; readonly by: Watched | undefined },
): string[] {
  if (!service) return [`asks ${name}, which does not exist`];
  const { ADMIN_PORT, METRICS_PORT } = service.environment ?? {};
  const isReached = service.networks?.some((network) => by?.networks?.includes(network));
  return [
    ...(Number(METRICS_PORT ?? ADMIN_PORT) === port ? [] : [`asks ${name} on port ${port}, where it has no metrics`]),
    ...(isReached ? [] : [`asks ${name}, with which it has no network in common`]),
  ];
}

function keyProblems({ job_name, authorization }: Job, by: Watched | undefined): string[] {
  const file = authorization.credentials_file;
  const isMounted = by?.volumes?.some((volume) => file.startsWith(`${volume.split(':')[1]}/`));
  return isMounted ? [] : [`${job_name} has its key in ${file}, which is not mounted`];
}
