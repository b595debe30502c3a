import { existsSync } from 'node:fs';
import { join } from 'node:path';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly restart?: string;
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

/** Finds names that do not resolve, missing files, services without a health check, a Redis that could lose work. */
export function checkCompose(compose: Compose, root: string): string[] {
  return Object.entries(compose.services)
    .flatMap(([name, service]) => [
      ...missingParts(service).map((part) => `${name} has no ${part}`),
      ...unknownDependencies(service, compose).map((other) => `${name} waits for ${other}, which does not exist`),
      ...missingVolumes(service, compose, root).map((volume) => `${name} mounts ${volume}, which does not exist`),
      ...missingModules(service, root).map((file) => `${name} starts ${file}, which does not exist`),
      ...riskyRedis(service).map((risk) => `${name}: ${risk}`),
    ])
    .map((problem) => `docker-compose.yml: ${problem}`);
}

function missingParts(service: Service): string[] {
  const parts = ['healthcheck', 'restart', 'stop_grace_period'] as const;
  const missing = parts.filter((part) => service[part] === undefined);
  return service.image || service.build ? missing : ['image', ...missing];
}

function unknownDependencies(service: Service, { services }: Compose): string[] {
  return Object.keys(service.depends_on ?? {}).filter((name) => !services[name]);
}

function missingVolumes(service: Service, compose: Compose, root: string): string[] {
  return (service.volumes ?? [])
    .map((volume) => volume.split(':')[0] ?? '')
    .filter((source) => (source.startsWith('.') ? !existsSync(join(root, source)) : !isDeclared(source, compose)));
}

function isDeclared(volume: string, compose: Compose): boolean {
  return Object.hasOwn(compose.volumes ?? {}, volume);
}

function missingModules({ command = [] }: Service, root: string): string[] {
  return command.filter((word) => word.endsWith('.ts') && !existsSync(join(root, word)));
}

function riskyRedis({ image = '', command = [] }: Service): string[] {
  if (!/^(?:redis|valkey)/.test(image)) return [];
  const settings = command.join(' ');
  const wanted = ['--appendonly yes', '--appendfsync everysec', '--maxmemory-policy noeviction'];
  return wanted.filter((setting) => !settings.includes(setting)).map((setting) => `must be started with ${setting}`);
}
