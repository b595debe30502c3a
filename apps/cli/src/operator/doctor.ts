import {
  type AgentReading,
  archiveSchema,
  filesSchema,
  type Me,
  meSchema,
  type NearLimit,
  type OperatorClient,
  OperatorError,
  type Overview,
  overviewSchema,
  pageOf,
  type WorkerReading,
  workerReadingSchema,
} from '@switchyard/operator-api';
import { Settings, SettingsError } from '@switchyard/settings';
import type { Command } from 'commander';
import { connect } from '../agent/connect.ts';
import { callFailure } from '../failures/call-failure.ts';
import { CommandFailure } from '../failures/failure.ts';
import { field } from '../output/labelled-text.ts';
import { type Invocation, openSession, type Session } from '../session/session.ts';
import { adminPortOf } from '../up/settings.ts';
import { checkIssuer } from './check-issuer.ts';
import { checkProxies } from './check-proxies.ts';
import { checkRedis } from './check-redis.ts';
import { type Finding, ofDeployment } from './finding.ts';
import { explained, operatorAccess, operatorClient } from './operator.ts';
import { holderOf } from './ports.ts';
import { endingWith, probe } from './probe.ts';
import { allAgents } from './queue.ts';

/** `doctor`: problems of an installation, and what to do. Changes nothing. */
export function addDoctorCommand(program: Command, invocation: Invocation): void {
  program
    .command('doctor')
    .description(
      'check Node, ports, proxies, token issuer, Redis, gateway, agents, files, versions and clocks, and suggest fixes',
    )
    .addHelpText(
      'after',
      '\nIt checks the Redis at REDIS_URL, those in DEPLOYMENTS_FILE, or that of the deployment running in this folder.',
    )
    .action(async (_, command: Command) => {
      const session = await openSession(invocation, command);
      const findings = (
        await Promise.all([
          checkNode(),
          probe(probed.ports, () => checkPorts(invocation)),
          probe(probed.proxies, () => checkProxies(invocation.env)),
          probe(probed.issuer, () => checkIssuer(invocation.env)),
          probe(probed.redis, () => checkRedis(invocation)),
          probe(probed.gateway, (signal) => checkGateway(endingWith(session, signal))),
          probe(probed.operators, (signal) => checkOperators(invocation, endingWith(session, signal))),
        ])
      ).flat();
      const problems = findings.filter(({ verdict }) => verdict === 'problem').length;
      session.output.result({ isWell: problems === 0, findings }, () => findings.map(findingText).join(''));
      if (problems > 0) throw new CommandFailure('SWITCHYARD_ERR_UNWELL', `${problems} problems`, { isReported: true });
    });
}

/**
 * All probes run at once, and each ends in time: `doctor` takes ten seconds at most. Redis is asked twice, and a gateway
 * waits some seconds for its Redis.
 */
const probed = {
  ports: {
    what: 'The ports of this machine',
    withinMs: 9_000,
    todo: 'See whether the name in HOST is found.',
    verdict: 'warning',
  },
  proxies: { what: 'The proxies', withinMs: 9_000, todo: 'Correct HTTPS_PROXY and HTTP_PROXY.' },
  issuer: { what: 'The token issuer', withinMs: 9_500, todo: 'Correct JWT_ISSUER or JWT_JWKS_URL.' },
  redis: { what: 'Redis', withinMs: 9_500, todo: 'Start Redis, or set REDIS_URL to its address.' },
  gateway: {
    what: 'The gateway',
    withinMs: 9_000,
    todo: 'See whether its process is frozen, and whether --agent-card is right.',
  },
  operators: { what: "The operators' port", withinMs: 9_500, todo: 'See whether the gateway is frozen.' },
  me: {
    what: "The operators' port",
    withinMs: 3_000,
    todo: 'See whether the gateway is frozen, and whether SWITCHYARD_OPERATOR_URL is right.',
  },
  agents: {
    what: 'The gateway, asked for agents and queues,',
    withinMs: 6_000,
    todo: 'See whether its Redis answers; the log of the gateway says more.',
  },
  archive: {
    what: 'The archive',
    withinMs: 6_000,
    todo: 'See whether PostgreSQL at ARCHIVE_URL runs: the log of a gateway says more.',
  },
  files: {
    what: 'The place of the files',
    withinMs: 6_000,
    todo: 'See whether the volume or the bucket at FILES_URL answers.',
  },
  console: { what: 'The console', withinMs: 6_000, todo: 'See the log of the gateway.' },
} as const;

const workersSchema = pageOf('workers', workerReadingSchema);

const labels = { ok: 'Ok', warning: 'Warning', problem: 'Problem' } as const;

function findingText({ verdict, text, todo }: Finding): string {
  return field(labels[verdict], text) + field('Do', todo);
}

const wantedNode = 24;

function checkNode(): Finding[] {
  const major = Number.parseInt(process.versions.node, 10);
  const text = `Node ${process.versions.node}`;
  if (major >= wantedNode) return [{ verdict: 'ok', text }];
  return [{ verdict: 'problem', text, todo: `Use Node ${wantedNode}: npm run setup brings it.` }];
}

/** Ports of a gateway that is started here. */
async function checkPorts({ env }: Invocation): Promise<Finding[]> {
  const settings = new Settings('start', env);
  try {
    settings.requireValid();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return [{ verdict: 'problem', text: error.message.replaceAll('\n', ' '), todo: 'Correct them.' }];
  }
  const { PORT: port, HOST: host, ADMIN_HOST: adminHost, ADMIN_PORT: adminPort = adminPortOf(port) } = settings.values;
  const wanted = { PORT: { host, port }, ADMIN_PORT: { host: adminHost, port: adminPort } };
  const found = await Promise.all(
    Object.entries(wanted).map(async ([name, at]) => ({ name, each: at.port, holder: await holderOf(at) })),
  );
  return found.flatMap(({ name, each, holder }): Finding[] => {
    if (holder === 'switchyard') return [];
    if (holder === 'nobody') return [{ verdict: 'ok', text: `Port ${each} is free` }];
    const text = `Port ${each} is in use by ${holder.program ?? 'another program'}: a gateway cannot listen on it`;
    return [{ verdict: 'warning', text, todo: `Stop that program, or set ${name} to another port.` }];
  });
}

async function checkGateway({ call, options }: Session): Promise<Finding[]> {
  try {
    const { card, chosen } = await connect(call);
    return [{ verdict: 'ok', text: `${card.name} answers at ${chosen.url} (${chosen.binding} ${chosen.version})` }];
  } catch (error) {
    const { message } = callFailure(error, call.signal);
    return [
      { verdict: 'problem', text: message, todo: `switchyard up, or --agent-card if it is not ${options.agentCard}.` },
    ];
  }
}

async function checkOperators(invocation: Invocation, session: Session): Promise<Finding[]> {
  try {
    const access = await operatorAccess(invocation);
    const api = (signal: AbortSignal, deployment?: number): OperatorClient =>
      operatorClient(access, endingWith(session, signal), { deployment });
    let me: Me | undefined;
    const late = await probe(probed.me, async (signal) => {
      me = await explained(access.url, api(signal).call('/admin/me', meSchema));
      return [];
    });
    if (!me) return late;
    const { version, deployments = [undefined], deploymentsFileChanges: changes } = me;
    const found = await Promise.all([
      ...deployments.map((deployment) =>
        checkDeployment(access.url, (signal) => api(signal, deployment), { version, deployment }),
      ),
      probe(probed.files, (signal) => explained(access.url, checkFiles(api(signal)))),
      probe(probed.console, (signal) => checkConsole(access.url, signal)),
    ]);
    return [
      { verdict: 'ok', text: `The operators' port answers at ${access.url}` },
      ...(changes === undefined ? [] : [fileChangesFinding(changes)]),
      ...found.flat(),
    ];
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const todo = error.hint ?? 'Correct the problems above; the log of the gateway says more.';
    return [{ verdict: 'warning', text: `Agents and queues were not checked: ${error.message}`, todo }];
  }
}

function fileChangesFinding(changes: string): Finding {
  const text = `DEPLOYMENTS_FILE is not what the gateway has read at its start: ${changes}`;
  return { verdict: 'warning', text, todo: 'Restart all gateways, as docs/deployments.md says.' };
}

async function checkDeployment(
  url: string,
  api: (signal: AbortSignal) => OperatorClient,
  { version, deployment }: Pick<Me, 'version' | 'deployment'>,
): Promise<Finding[]> {
  try {
    const found = await Promise.all([
      probe(probed.agents, (signal) => explained(url, checkAgents(api(signal), version))),
      probe(probed.archive, (signal) => explained(url, checkArchive(api(signal)))),
    ]);
    return ofDeployment(found.flat(), deployment);
  } catch (error) {
    if (deployment === undefined || !(error instanceof CommandFailure)) throw error;
    return [{ verdict: 'problem', text: error.message, todo: 'Start its Redis; the log of the gateway says more.' }];
  }
}

async function checkAgents(api: OperatorClient, version: string): Promise<Finding[]> {
  const [agents, versions, overview] = await Promise.all([
    allAgents(api),
    versionsOf(api, version),
    api.call('/admin/overview', overviewSchema),
  ]);
  return [
    ...agents.map(agentFinding),
    ...clientFindings(overview),
    versionFinding(versions),
    ...limitFindings(overview),
  ];
}

async function checkArchive(api: OperatorClient): Promise<Finding[]> {
  try {
    const { archive } = await api.call('/admin/archive', archiveSchema);
    if (!archive) return [];
    const { tasks, bytes, oldestEndedAt: oldest, leftOut } = archive;
    const since = oldest === undefined ? '' : `, the oldest of ${oldest.slice(0, 10)}`;
    const text = `The archive has ${tasks} tasks (${Math.ceil(bytes / 2 ** 20)} MiB)${since}`;
    return [{ verdict: 'ok', text }, ...leftOutFindings(leftOut)];
  } catch (error) {
    // 404: a gateway of a release without an archive.
    if (error instanceof OperatorError && error.status === 404) return [];
    if (!(error instanceof OperatorError)) throw error;
    const text = `The archive cannot be used. ${error.message}`;
    return [{ verdict: 'problem', text, todo: 'Mend it within RETENTION_MS: so long Redis has what is not copied.' }];
  }
}

/** Deployments behind one gateway share their files. */
async function checkFiles(api: OperatorClient): Promise<Finding[]> {
  const { files } = await api.call('/admin/files', filesSchema);
  if (!files) return [];
  const { place, isEncrypted, problem, stored, volume } = files;
  const text = [
    `Files are in ${place}${isEncrypted ? ', encrypted' : ''}`,
    stored && `${stored.count} (${Math.ceil(stored.bytes / 2 ** 20)} MiB) at ${stored.at.slice(0, 16)}Z`,
    volume && volume.max > 0 && `its volume is ${percent(volume)} % full`,
  ];
  const where: Finding = { verdict: 'ok', text: text.filter(Boolean).join('; ') };
  if (problem === undefined) return [where];
  const todo = 'Let the user of gateways and workers write there, and look whether the volume or the bucket is there.';
  return [where, { verdict: 'problem', text: `The gateway cannot store files: ${problem}`, todo }];
}

const percent = ({ used, max }: Pick<NearLimit, 'used' | 'max'>): number => Math.floor((100 * used) / max);

const MAX_NAMED = 5;

function leftOutFindings(taskIds: readonly string[]): Finding[] {
  const [first, ...others] = taskIds.slice(0, MAX_NAMED);
  if (first === undefined) return [];
  const more = taskIds.length > MAX_NAMED ? ', …' : '';
  const count = taskIds.length === 1 ? '1 ended task' : `${taskIds.length} ended tasks`;
  const text = `${count} could not be copied to the archive: ${[first, ...others].join(', ')}${more}`;
  const todo = `Save what you need, such as switchyard task get ${first}: Redis forgets them. The logs of workers say why.`;
  return [{ verdict: 'warning', text, todo }];
}

type Versions = Readonly<Record<'gateway' | `worker ${string}`, string>>;

async function versionsOf(api: OperatorClient, gateway: string): Promise<Versions> {
  const { workers } = await api.call('/admin/workers', workersSchema, { query: { pageSize: 100 } });
  const running = workers.filter(({ state }) => state !== 'silent');
  return Object.fromEntries([
    ['gateway', gateway],
    ...running.map(({ id, version = 'unknown' }: WorkerReading) => [`worker ${id}`, version]),
  ]);
}

/** During an upgrade two versions run together, but not permanently. */
function versionFinding(versions: Versions): Finding {
  const [first, ...others] = new Set(Object.values(versions));
  if (others.length === 0) return { verdict: 'ok', text: `Gateway and workers run version ${first}` };
  const text = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return {
    verdict: 'warning',
    text: `Different versions are running: ${text.join(', ')}`,
    todo: 'Finish the upgrade: replace the older ones.',
  };
}

/** Tasks that wait for their clients: nothing is wrong with them. */
function clientFindings({ interrupted, longestInterrupted: [longest] }: Overview): Finding[] {
  if (interrupted === 0) return [];
  const text = interrupted === 1 ? '1 task waits for its client' : `${interrupted} tasks wait for their clients`;
  const since = longest === undefined ? '' : `, ${interrupted === 1 ? '' : 'the first one '}since ${longest.since}`;
  return [{ verdict: 'ok', text: text + since }];
}

/** Limits that are nearly reached, and ended tasks that go early. */
function limitFindings({ limits, kept }: Pick<Overview, 'limits' | 'kept'>): Finding[] {
  const near = limits.map(({ limit, setting, of, used, max }): Finding => {
    if (limit === 'archive-delay') {
      const text = `Archive: ended tasks wait for ${spanText(used)} to be copied, and Redis forgets them after ${spanText(max)}`;
      return {
        verdict: 'warning',
        text,
        todo: 'See why in the log of a worker, and whether PostgreSQL at ARCHIVE_URL answers.',
      };
    }
    if (limit === 'file-volume') {
      const text = `The volume with the files is ${percent({ used, max })} % full`;
      const todo = 'Enlarge it, or lower RETENTION_MS, ARCHIVE_RETENTION_MS or MAX_FILE_BYTES_PER_PRINCIPAL.';
      return { verdict: 'warning', text, todo };
    }
    const text = `${percent({ used, max })} % of a limit are used: ${limit.replaceAll('-', ' ')} (${of})`;
    return { verdict: 'warning', text, todo: `Raise ${setting}, or find out who uses so much.` };
  });
  if (kept.keptMs >= kept.wantedMs) return near;
  const text = `Memory: ended tasks are kept for ${spanText(kept.keptMs)} instead of ${spanText(kept.wantedMs)}`;
  return [{ verdict: 'warning', text, todo: 'Raise maxmemory, or lower RETENTION_MS.' }, ...near];
}

/** `7 days`, `3 h`, `5 min`. */
function spanText(ms: number): string {
  const hours = ms / 3_600_000;
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return hours >= 1 ? `${Math.round(hours)} h` : `${Math.round(hours * 60)} min`;
}

async function checkConsole(url: string, signal: AbortSignal): Promise<Finding[]> {
  const { status } = await explained(url, fetch(new URL('/console/', url), { signal }));
  if (status === 200) return [{ verdict: 'ok', text: `The console is at ${url}/console/` }];
  return status === 503
    ? [{ verdict: 'warning', text: 'The console is not built', todo: 'node scripts/console/build.ts' }]
    : [{ verdict: 'warning', text: 'The gateway serves no console', todo: 'Set CONSOLE=on for the gateway.' }];
}

function agentFinding({
  id,
  workers,
  silentSince,
  remoteProblem,
  paused,
  waiting,
}: Pick<AgentReading, 'id' | 'workers' | 'silentSince' | 'remoteProblem' | 'paused' | 'waiting'>): Finding {
  const waits = waiting > 0 ? `, ${waiting === 1 ? '1 message waits' : `${waiting} messages wait`}` : '';
  if (paused)
    return { verdict: 'warning', text: `The agent ${id} is paused${waits}`, todo: `switchyard queue resume ${id}` };
  if (silentSince !== undefined)
    return {
      verdict: 'problem',
      text: `No worker of the agent ${id} has answered since ${silentSince}: frozen, or killed${waits}`,
      todo:
        "The worker's log names the task and the line that block it. If nothing starts the worker again: " +
        `switchyard worker <module of ${id}>`,
    };
  if (workers === 0)
    return {
      verdict: 'problem',
      text: `No worker runs the agent ${id}${waits}`,
      todo: `switchyard worker <module of ${id}>${waiting > 0 ? '' : `; if it is retired: switchyard queue forget ${id}`}`,
    };
  if (remoteProblem) return remoteFinding(id, remoteProblem, waits);
  return { verdict: 'ok', text: `The agent ${id} has ${workers === 1 ? 'a worker' : `${workers} workers`}${waits}` };
}

function remoteFinding(
  id: string,
  { kind, text, worker }: NonNullable<AgentReading['remoteProblem']>,
  waits: string,
): Finding {
  const [what, todo] =
    kind === 'unreachable'
      ? ['does not answer', 'See whether it runs, and whether its address is right; its messages wait meanwhile.']
      : ['has no card that can be used', 'Correct its address, or its card; its messages fail until then.'];
  return {
    verdict: 'problem',
    text: `The remote agent ${id} ${what}, as worker ${worker} says: ${text.replace(/\.$/, '')}${waits}`,
    todo,
  };
}
