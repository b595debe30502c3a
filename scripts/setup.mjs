// Makes a fresh checkout ready for `npm start` and `npm test`: the packages, and a Redis to run.
// Plain JavaScript without dependencies: it runs before anything is installed, on whatever Node (18 or later) is there.
//
//   node scripts/setup.mjs             both; REDIS_URL counts as a Redis
//   node scripts/setup.mjs --tests     before npm test: the tests start a private Redis, REDIS_URL is not theirs
//   node scripts/setup.mjs --browser   before npm test, too: a Chromium, for the tests of the console
//   node scripts/setup.mjs --containers before npm run test:release: Podman and HAProxy, where root and apt-get are
//   node scripts/setup.mjs --packages  before the rest: only the packages
//   node scripts/setup.mjs --dry-run   says what it would do, and does nothing
//   node scripts/setup.mjs --help      prints these lines

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isDryRun = process.argv.includes('--dry-run');
const isForTests = process.argv.includes('--tests');
const needsBrowser = process.argv.includes('--browser');
const needsRedis = !process.argv.includes('--packages') && (isForTests || !needsBrowser);
const needsPackages = isForTests || !needsBrowser;

const installOptions = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
const installedList = join(root, 'node_modules', '.package-lock.json');

/** Where a browser is from. */
const packageManagers = [
  {
    program: 'apt-get',
    before: ['update'],
    install: ['-o', 'DPkg::Lock::Timeout=120', 'install', '-y', '--no-install-recommends'],
    browser: 'chromium',
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  },
  {
    program: 'dnf',
    install: ['install', '-y'],
    browser: 'chromium',
    env: {},
  },
  {
    program: 'apk',
    install: ['add', '--no-cache'],
    browser: 'chromium',
    env: {},
  },
];

if (process.argv.includes('--help')) printHelp();
requireNode();
if (needsPackages) installPackages();
if (needsRedis) findRedis();
if (needsBrowser) findBrowser();
if (process.argv.includes('--containers')) findContainers();

/** The comment at the top of this file. */
function printHelp() {
  const [head] = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n\n');
  process.stdout.write(`${head.replaceAll(/^\/\/ ?/gm, '')}\n`);
  process.exit(0);
}

function requireNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 18) fail(`Node ${process.versions.node} is too old to install Switchyard: 18 or later will do.`);
}

/** Also brings the pinned Node 24 (the npm package `node`), which every npm script then finds first on its PATH. */
function installPackages() {
  const reason = whyInstall();
  if (!reason) return;
  const install = howToInstall();
  say(`${reason}: npm ${install[0]}, exactly what package-lock.json says`);
  if (isDryRun) return;
  const [program, ...args] = [...npmCommand(), ...install, ...installOptions];
  const result = spawnSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.status !== 0) fail('The packages could not be installed.');
  const stillWrong = whyInstall();
  if (stillWrong) fail(`After npm ${install[0]}: ${stillWrong}.`);
}

/**
 * npm ci removes all of node_modules first: where one package is stale, npm install brings that one in a second, and
 * what runs from there goes on. --no-save keeps to the lock file all the same, and leaves it alone.
 */
function howToInstall() {
  return existsSync(installedList) ? ['install', '--no-save'] : ['ci'];
}

function whyInstall() {
  const wanted = packagesIn(join(root, 'package-lock.json'));
  const installed = packagesIn(installedList);
  if (!wanted) return 'package-lock.json is missing';
  if (!installed) return 'no packages are installed yet';
  const stale = Object.keys(wanted).find((path) => isStale(path, wanted[path], installed[path]));
  if (stale) return `${stale} is not the one of package-lock.json`;
  if (!existsSync(join(root, 'node_modules', '.bin', 'node'))) return 'the pinned Node is missing';
  return undefined;
}

/** npm keeps a lock file of what is really installed: comparing the two tells more than times or stamps. */
function isStale(path, wanted, installed) {
  if (!path.startsWith('node_modules/') || wanted.optional || wanted.devOptional) return false;
  // The links to our own packages may be gone although npm's list still has them.
  if (wanted.link && !existsSync(join(root, path))) return true;
  return wanted.version !== installed?.version || wanted.link !== installed?.link;
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** The npm that runs us, with its own Node: ours may lie in the very node_modules that npm ci removes. */
function npmCommand() {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  return npm && node && existsSync(node) ? [node, npm] : ['npm'];
}

/** The package `local` finds or installs a Redis. It runs with the Node of node_modules: this one may be too old. */
function findRedis() {
  if (!isForTests && process.env.REDIS_URL) return;
  const node = join(root, 'node_modules', '.bin', 'node');
  if (!existsSync(node)) return say('then: a Redis, if there is none');
  const args = [join(root, 'packages/local/src/main.ts'), ...(isDryRun ? ['--dry-run'] : [])];
  if (spawnSync(node, args, { stdio: 'inherit' }).status !== 0) process.exit(1);
}

function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  // -n: never ask for a password.
  return ['sudo', '-n'];
}

/** Without one, the tests of the console are skipped: no reason to fail here. */
function findBrowser() {
  if (['chromium', 'chromium-browser', 'google-chrome'].some(onPath)) return;
  const manager = packageManagers.find(({ program }) => onPath(program));
  const isRoot = process.getuid?.() === 0;
  if (!manager || !(isRoot || onPath('sudo')))
    return say('No Chromium here: the tests of the console are skipped until it is installed.');
  const prefix = rootPrefix();
  say(`No Chromium here: installing the system package ${manager.browser} with ${manager.program}.`);
  if (manager.before) attempt([...prefix, manager.program, ...manager.before], manager.env);
  attempt([...prefix, manager.program, ...manager.install, manager.browser], manager.env);
}

/** Without them, the tests of the image and of the load balancer are skipped. */
function findContainers() {
  const packages = ['podman', 'runc', 'mmdebstrap', 'haproxy'];
  if (packages.every(onPath)) return;
  const manager = packageManagers.find(({ program }) => program === 'apt-get' && onPath(program));
  if (!manager || process.getuid?.() !== 0)
    return say('No Podman or HAProxy here: the tests of the image and the load balancer are skipped.');
  say(`Installing ${packages.join(', ')}, for the tests of the image and the load balancer.`);
  attempt([manager.program, ...manager.before], manager.env);
  attempt([manager.program, ...manager.install, ...packages, 'netavark', 'ca-certificates'], manager.env);
}

function attempt(command, env) {
  say(`  ${command.join(' ')}`);
  if (isDryRun) return true;
  const [program, ...args] = command;
  // sudo drops our environment; what the package manager needs goes in front of it through env(1).
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const [head, rest] = program === 'sudo' ? ['sudo', ['-n', 'env', ...settings, ...args.slice(1)]] : [program, args];
  const result = spawnSync(head, rest, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  return result.status === 0;
}

function onPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function say(text) {
  process.stdout.write(`setup: ${text}\n`);
}

function fail(text) {
  process.stderr.write(`setup: ${text}\n`);
  process.exit(1);
}
