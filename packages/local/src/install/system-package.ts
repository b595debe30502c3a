import { spawnSync } from 'node:child_process';
import { type Environment, findOnPath } from '../redis/find-redis.ts';

interface SystemPackage {
  readonly program: string;
  readonly needsRoot: boolean;
  /** Command that is run before the installation. */
  readonly before?: readonly string[];
  readonly install: readonly string[];
  /** Names of the package, best first. A later one is tried if the system does not have the earlier one. */
  readonly packages: readonly [string, ...string[]];
  readonly env: Environment;
}

const systems: readonly SystemPackage[] = [
  {
    program: 'apt-get',
    needsRoot: true,
    before: ['update'],
    install: ['-o', 'DPkg::Lock::Timeout=120', 'install', '-y', '--no-install-recommends'],
    packages: ['redis-server', 'valkey-server'],
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  },
  { program: 'dnf', needsRoot: true, install: ['install', '-y'], packages: ['redis', 'valkey'], env: {} },
  { program: 'apk', needsRoot: true, install: ['add', '--no-cache'], packages: ['redis', 'valkey'], env: {} },
  {
    program: 'brew',
    needsRoot: false,
    install: ['install'],
    packages: ['redis', 'valkey'],
    env: { HOMEBREW_NO_AUTO_UPDATE: '1' },
  },
];

/** The package of this system; undefined if this user cannot install packages. */
export function systemPackage(environment: Environment, isRoot: boolean): SystemPackage | undefined {
  const system = systems.find(({ program }) => findOnPath([program], environment));
  return system?.needsRoot && !isRoot && !findOnPath(['sudo'], environment) ? undefined : system;
}

/** Installs the package; the output of the package manager is printed. */
export function installSystemPackage(system: SystemPackage, environment: Environment, isRoot: boolean): void {
  const { program, before, install, packages, needsRoot, env } = system;
  // sudo drops the environment; -n: it never asks for a password.
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const prefix = needsRoot && !isRoot ? ['sudo', '-n', 'env', ...settings] : ['env', ...settings];
  const run = (...command: readonly string[]): boolean => {
    const [first = '', ...args] = [...prefix, program, ...command];
    return spawnSync(first, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...environment } }).status === 0;
  };
  if (before) run(...before);
  packages.some((name) => run(...install, name));
}
