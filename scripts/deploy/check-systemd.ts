import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Tenths of systemd's measure of exposure: below it calls a service OK. */
const MOST_EXPOSURE = 20;

/** What systemd's own checks say of units, and credentials that are used but not loaded; where it is not installed, the latter. */
export function checkSystemd(folder: string): string[] {
  const services = globSync('*.service', { cwd: folder }).sort();
  const problems = services.flatMap((service) =>
    missingCredentials(readFileSync(join(folder, service), 'utf8')).map((problem) => `${service} ${problem}`),
  );
  const own = spawnSync('systemd-analyze', ['--version']).error ? [] : systemdsOwn(folder, services);
  return [...problems, ...own].map((problem) => `${folder}: ${problem}`);
}

/** A file in the folder of credentials is there only if the unit loads it. */
function missingCredentials(unit: string): string[] {
  const loaded = Array.from(unit.matchAll(/^LoadCredential=([\w.-]+):/gm), ([, name = '']) => name);
  const used = Array.from(unit.matchAll(/(?:%d|\$\{CREDENTIALS_DIRECTORY\})\/([\w.-]+)/g), ([, name = '']) => name);
  return [
    ...used.filter((name) => !loaded.includes(name)).map((name) => `uses the credential ${name}, and does not load it`),
    ...loaded.filter((name) => !used.includes(name)).map((name) => `loads the credential ${name}, and does not use it`),
  ];
}

/** In a root of its own, with the programs that the units start. */
function systemdsOwn(folder: string, services: readonly string[]): string[] {
  const root = mkdtempSync(join(tmpdir(), 'switchyard-systemd-'));
  try {
    cpSync('/usr/lib/systemd/system', join(root, 'usr/lib/systemd/system'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    cpSync(folder, join(root, 'etc/systemd/system'), { recursive: true });
    for (const program of ['opt/switchyard/bin/switchyard', 'usr/bin/redis-server']) {
      mkdirSync(dirname(join(root, program)), { recursive: true });
      writeFileSync(join(root, program), '');
      chmodSync(join(root, program), 0o755);
    }
    const units = [...services.map((name) => name.replace('@.', '@x.')), ...globSync('*.target', { cwd: folder })];
    return [
      ...analyze(['verify', `--root=${root}`, ...units]),
      ...services.flatMap((name) =>
        analyze(['security', '--offline=true', `--root=${root}`, `--threshold=${MOST_EXPOSURE}`, '--no-pager', name]),
      ),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function analyze(args: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  // It is content with a line that it ignores, and says so.
  const said = args[0] === 'verify' ? stderr.trim() : '';
  if (status === 0 && said === '') return [];
  return [`systemd-analyze ${args[0]} ${basename(args.at(-1) ?? '')}: ${said || stderr + stdout.slice(-300)}`];
}
