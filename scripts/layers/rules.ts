import type { Import, SourceFile } from '../structure/source-files.ts';

/** What a rule has against a file; empty when all is well. */
export type Rule = (file: SourceFile) => readonly string[];

/**
 * Layers: apps → executors → what stands on the store → store, agent, signatures and outgoing → redis, protocol.
 * Examples are written the way an agent's author would.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'packages/create': ['agent', 'executor-openai', 'executor-sdk'],
  'packages/protocol': [],
  'packages/redis': [],
  'packages/schema': ['redis'],
  'packages/store': ['protocol', 'redis', 'schema'],
  'packages/access': ['redis', 'store'],
  'packages/conversations': ['protocol', 'redis', 'store'],
  'packages/push': ['redis', 'store'],
  'packages/schedules': ['protocol', 'push', 'redis', 'store'],
  'packages/pace': ['redis', 'store'],
  'packages/upkeep': ['redis', 'store'],
  'packages/operators': ['access', 'conversations', 'protocol', 'push', 'redis', 'store'],
  'packages/archive': ['store'],
  'packages/agent': ['protocol'],
  'packages/executor-command': ['protocol', 'agent'],
  'packages/executor-ai': ['agent', 'outgoing'],
  'packages/executor-anthropic': ['agent', 'outgoing'],
  'packages/executor-langgraph': ['agent'],
  'packages/executor-openai': ['agent', 'outgoing'],
  'packages/executor-remote': ['protocol', 'agent', 'executor-sdk', 'signatures', 'outgoing'],
  'packages/executor-sdk': ['protocol', 'agent'],
  'packages/signatures': ['protocol'],
  'packages/settings': [],
  'packages/outgoing': [],
  'packages/files': [],
  'packages/operator-api': ['protocol'],
  'packages/telemetry': ['protocol', 'settings'],
  'packages/local': [],
  'apps/console': ['operator-api', 'protocol'],
  'apps/cli': [
    'access',
    'operator-api',
    'operators',
    'protocol',
    'schema',
    'store',
    'settings',
    'telemetry',
    'local',
    'outgoing',
    'agent',
    'gateway',
    'worker',
  ],
  apps: [
    'protocol',
    'store',
    'access',
    'conversations',
    'push',
    'schedules',
    'schema',
    'pace',
    'upkeep',
    'operators',
    'archive',
    'agent',
    'executor-remote',
    'files',
    'settings',
    'signatures',
    'outgoing',
    'operator-api',
    'telemetry',
  ],
  examples: ['protocol', 'agent', 'executor-command', 'executor-openai', 'executor-remote', 'executor-sdk'],
};

/** Packages from outside that have one home. */
const homes: Readonly<Record<string, RegExp>> = {
  /** The store's tests compare its scripts with those of BullMQ. */
  bullmq: /^packages\/operators\/|^packages\/store\/test\//,
  ioredis: /^packages\/redis\//,
  pg: /^packages\/archive\//,
  /** These examples bring a server of the SDK. */
  express: /^apps\/gateway\/|^examples\/(?:remote|sdk-pizza)\//,
  '@langchain/langgraph': /^packages\/executor-langgraph\//,
  ai: /^packages\/executor-ai\//,
  '@anthropic-ai/sdk': /^packages\/executor-anthropic\//,
  openai: /^packages\/executor-openai\/|^examples\//,
  preact: /^apps\/console\//,
  commander: /^apps\/cli\//,
  '@opentelemetry/sdk-trace': /^packages\/telemetry\/src\/traces\//,
  '@opentelemetry/exporter-trace-otlp-proto': /^packages\/telemetry\/src\/traces\//,
};

/** What only a program's own first file, its settings and scripts may touch: everything else gets it as an argument. */
const edges: Readonly<Record<string, RegExp>> = {
  'process.env': /\bprocess\.env\b|\benv\b[^;]*\bfrom 'node:process'/,
  'a signal handler': /\bprocess\.(?:on|once)\(/,
  'a listening socket': /\b(?:server|app|express\(\)|createServer\([^)]*\))\.listen\(/,
};
/** A template is the whole of a small program. */
const edgeFiles = /\/(?:main|config)\.ts$|^packages\/create\/template\//;
/** Examples come with the services that they pretend to use. */
const mayListen = /^examples\//;

const buildOnTheStore = ['access', 'conversations', 'operators', 'pace', 'push', 'schedules', 'upkeep'].map(
  (name) => `packages/${name}`,
);

/** What tests of a package use beside what it stands on: of the store, what stands on it. */
const testedWith: Readonly<Record<string, readonly string[]>> = {
  'packages/store': ['access', 'conversations', 'operators', 'pace', 'push', 'schedules', 'upkeep'],
  'packages/upkeep': ['protocol', 'push', 'schedules'],
};

/** Folders of the store that carry a message, and those that only stand on them. */
const core =
  /^packages\/store\/src\/(?:archive|deployment|encryption|queue|record|tasks|outbox|turns|steps|waits|calls|memory|places|feed)\//;
const outsideCore = /^packages\/store\/src\/(?:registry|time-to-live)\//;

export const rules: readonly Rule[] = [
  importsGoDown,
  staysInItsPackage,
  protocolNeedsOnlyZod,
  hasAHome,
  keepsToTheEdge,
  coreStandsAlone,
  keepsTheStoreClosed,
];

function importsGoDown({ home, isTest, imports }: SourceFile): string[] {
  const allowed = mayImport[home] ?? mayImport[home.split('/')[0] ?? ''] ?? [];
  const own = home.split('/')[1] ?? '';
  return workspaceNames(imports)
    .filter((name) => name !== own && !allowed.includes(name) && !(isTest && testedWith[home]?.includes(name)))
    .map((name) => `${home} must not import @switchyard/${name}`);
}

function staysInItsPackage({ home, isTest, imports }: SourceFile): string[] {
  return imports
    .filter(({ file }) => file && !file.startsWith(`${home}/`) && !(isTest && file.startsWith('tests/')))
    .map(({ specifier }) => `${specifier} leaves ${home}: import a package by its name`);
}

/** Types, states and errors are installed without zod. */
function protocolNeedsOnlyZod({ path, home, isTest, imports }: SourceFile): string[] {
  if (home !== 'packages/protocol' || isTest) return [];
  return outsideNames(imports)
    .filter((name) => name !== 'zod' || !path.startsWith('packages/protocol/src/schemas/'))
    .map((name) => `packages/protocol imports zod only, and only below src/schemas, not ${name}`);
}

function hasAHome({ path, isTest, imports }: SourceFile): string[] {
  if (isTest) return [];
  return outsideNames(imports)
    .filter((name) => homes[name]?.test(path) === false)
    .map((name) => `${name} is imported only in ${homes[name]?.source}`);
}

function keepsToTheEdge({ path, isTest, code }: SourceFile): string[] {
  if (isTest || edgeFiles.test(path)) return [];
  return Object.entries(edges)
    .filter(([what, pattern]) => pattern.test(code) && !(what === 'a listening socket' && mayListen.test(path)))
    .map(([what]) => `${what} belongs in main.ts or config.ts`);
}

function workspaceNames(imports: readonly Import[]): string[] {
  return imports.flatMap(({ specifier }) => specifier.match(/^@switchyard\/([^/]+)/)?.[1] ?? []);
}

function coreStandsAlone({ path, imports }: SourceFile): string[] {
  if (!core.test(path)) return [];
  return imports
    .filter(({ file }) => file && outsideCore.test(file))
    .map(({ specifier }) => `${specifier} is outside the core of the store, which must not depend on it`);
}

/** Keys, scripts and parts of tasks are for the packages that build on the store. */
function keepsTheStoreClosed({ home, isTest, imports }: SourceFile): string[] {
  if (isTest || buildOnTheStore.includes(home)) return [];
  return imports
    .filter(({ specifier }) => specifier === '@switchyard/store/inside')
    .map(({ specifier }) => `${specifier} is only for ${buildOnTheStore.join(', ')}`);
}

/** Package names, without the path inside the package. Modules of Node (`node:…`) are allowed everywhere. */
function outsideNames(imports: readonly Import[]): string[] {
  return imports
    .map(({ specifier }) => specifier)
    .filter((specifier) => !/^(?:\.|node:|@switchyard\/)/.test(specifier))
    .map((specifier) => specifier.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? specifier);
}
