import { existsSync } from 'node:fs';
import { join } from 'node:path';

export interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: object;
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly privileged?: boolean;
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly deploy?: { readonly resources?: { readonly limits?: { readonly memory?: string; readonly pids?: number } } };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

/**
 * Finds names that do not resolve, missing files, services without a health check, a Redis that could lose work or lets
 * in who has no password, and containers that may do more than they need.
 */
export function checkCompose(compose: Compose, root: string): string[] {
  return Object.entries(compose.services)
    .flatMap(([name, service]) => [
      ...missingParts(service).map((part) => `${name} has no ${part}`),
      ...unknownDependencies(service, compose).map((other) => `${name} waits for ${other}, which does not exist`),
      ...missingVolumes(service, compose, root).map((volume) => `${name} mounts ${volume}, which does not exist`),
      ...missingModules(service, root).map((file) => `${name} starts ${file}, which does not exist`),
      ...riskyRedis(service).map((risk) => `${name}: ${risk}`),
      ...unlocked(service).map((risk) => `${name}: ${risk}`),
    ])
    .map((problem) => `docker-compose.yml: ${problem}`);
}

function missingParts(service: Service): string[] {
  const parts = ['healthcheck', 'restart', 'stop_grace_period'] as const;
  // The image of this repository has a check of its own.
  const missing = parts.filter(
    (part) => service[part] === undefined && !(part === 'healthcheck' && service.build === '.'),
  );
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

/** Modules of agents lie in a folder of this machine that is mounted. */
function missingModules({ command = [], volumes = [] }: Service, root: string): string[] {
  const mounts = volumes.map((volume) => volume.split(':'));
  const isThere = (module: string): boolean =>
    mounts.some(
      ([from = '', to = '']) => module.startsWith(`${to}/`) && existsSync(join(root, from, module.slice(to.length))),
    );
  return command.filter((word) => word.endsWith('.ts') && !isThere(word));
}

function riskyRedis({ image = '', command = [] }: Service): string[] {
  if (!/^(?:redis|valkey)/.test(image)) return [];
  const settings = command.join(' ');
  const wanted = [
    ...['--appendonly yes', '--appendfsync everysec', '--maxmemory-policy noeviction'],
    ...['--port 0', '--tls-port 6379', '--aclfile /secrets/redis/users.acl'],
  ];
  return wanted.filter((setting) => !settings.includes(setting)).map((setting) => `must be started with ${setting}`);
}

function unlocked(service: Service): string[] {
  const { read_only, cap_drop = [], security_opt = [], privileged, network_mode, deploy } = service;
  const { memory, pids } = deploy?.resources?.limits ?? {};
  return [
    ...(read_only ? [] : ['must be read_only']),
    ...(cap_drop.includes('ALL') ? [] : ['must drop ALL capabilities']),
    ...(security_opt.includes('no-new-privileges:true') ? [] : ['must have no-new-privileges:true']),
    ...(privileged || network_mode === 'host' ? ['must be neither privileged nor in the network of the host'] : []),
    ...(memory && pids ? [] : ['must have limits of memory and pids']),
    ...floatingImage(service.image),
    ...(service.ports ?? [])
      .filter((port) => !port.startsWith('127.0.0.1:'))
      .map((port) => `publishes ${port} beyond this machine`),
    ...Object.entries(service.environment ?? {})
      .filter(([name, value]) => /KEY|SECRET|PASSWORD|TOKEN/.test(name) && !/^(?:\/|\$\{\w+:-\}$)/.test(value))
      .map(([name]) => `has the secret ${name} written down`),
  ];
}

/** Without a registry no digest can be looked up: at least the version must be one that only gets corrections. */
export function floatingImage(image = ''): string[] {
  return /:v?\d+\.\d+/.test(image) ? [] : [`the tag of ${image} must have a major and a minor version`];
}
