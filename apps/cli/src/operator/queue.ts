import {
  type AgentReading,
  agentReadingSchema,
  levelsText,
  type OperatorClient,
  pageOf,
  tenantShareSchema,
} from '@switchyard/operator-api';
import type { Command } from 'commander';
import { z } from 'zod';
import { field, table } from '../output/labelled-text.ts';
import type { Invocation } from '../session/session.ts';
import { ofOperators, withOperator } from './operator.ts';

const agentsSchema = pageOf('agents', agentReadingSchema);
const tenantsSchema = z.object({ tenants: z.array(tenantShareSchema) });

/** `queue`: the waiting jobs of each agent. */
export function addQueueCommands(program: Command, invocation: Invocation): void {
  const queue = program.command('queue').description('agent queues: list, pause, resume, forget');
  ofOperators(queue);
  queue
    .command('list', { isDefault: true })
    .description('list the queues: waiting and running jobs, workers')
    .action((_, command: Command) =>
      withOperator(invocation, command, async ({ output }, api) => {
        const agents = await allAgents(api);
        output.result({ agents }, () => table(head, agents.flatMap(rows)));
      }),
    );
  queue
    .command('tenants')
    .description('waiting messages of an agent by tenant')
    .argument('<agent>')
    .action((agent: string, _, command: Command) =>
      withOperator(invocation, command, async ({ output }, api) => {
        const shares = await api.call(`/admin/agents/${encodeURIComponent(agent)}/tenants`, tenantsSchema);
        const rows = shares.tenants.map(({ tenant, waiting }) => [tenant, String(waiting)]);
        output.result(shares, () => table(['TENANT', 'WAITING'], rows));
      }),
    );
  for (const [name, state] of [
    ['pause', 'paused: its messages are accepted, and wait'],
    ['resume', 'resumed'],
  ] as const)
    queue
      .command(name)
      .description(name === 'pause' ? 'stop starting turns; messages are still accepted' : 'start turns again')
      .argument('<agent>')
      .action((agent: string, _, command: Command) =>
        withOperator(invocation, command, async ({ output }, api) => {
          const path = `/admin/agents/${encodeURIComponent(agent)}:${name}`;
          const answer = await api.call(path, z.unknown(), { method: 'POST' });
          output.result(answer ?? {}, () => field('Agent', `${agent} is ${state}`));
        }),
      );
  addForgetCommand(queue, invocation);
}

function addForgetCommand(queue: Command, invocation: Invocation): void {
  queue
    .command('forget')
    .description('forget a retired agent, which no worker runs and nothing waits for')
    .argument('<agent>')
    .action((agent: string, _, command: Command) =>
      withOperator(invocation, command, async ({ output }, api) => {
        await api.call(`/admin/agents/${encodeURIComponent(agent)}`, z.unknown(), { method: 'DELETE' });
        output.result({}, () => field('Agent', `${agent} is forgotten, until a worker announces it again`));
      }),
    );
}

/** All pages. */
export async function allAgents(api: OperatorClient): Promise<readonly AgentReading[]> {
  const all: AgentReading[] = [];
  let pageToken: string | undefined;
  do {
    const page = await api.call('/admin/agents', agentsSchema, { query: { pageSize: 100, pageToken } });
    all.push(...page.agents);
    pageToken = page.nextPageToken || undefined;
  } while (pageToken !== undefined);
  return all;
}

const head = [
  'AGENT',
  'STATE',
  'WORKERS',
  'WAITING',
  'OLDEST',
  'RUNNING',
  'DELAYED',
  'TENANTS',
  'BEGAN/S',
  'PRIORITIES',
];

/** Queues of an agent, and of its skills. */
function rows(agent: AgentReading): string[][] {
  const { id, waiting, workers, active, delayed, tenants, oldestWaitMs, beganPerSecond } = agent;
  const counts = [active, delayed, tenants].map(String);
  const whole = [
    id,
    queueState(agent),
    `${workers}`,
    `${waiting}`,
    ageText(oldestWaitMs),
    ...counts,
    beganPerSecond.toFixed(1),
    levelsText(agent.levels) ?? '',
  ];
  const ofSkills = (agent.skills ?? []).map((skill) => [
    `  of ${skill.id}`,
    ...['', '', `${skill.waiting}`, '', `${skill.active}`, `${skill.delayed}`, '', '', levelsText(skill.levels) ?? ''],
  ]);
  return [whole, ...ofSkills];
}

function queueState({ paused, silentSince, workers, remoteProblem }: AgentReading): string {
  if (paused) return 'paused';
  if (silentSince) return silentFor(silentSince);
  if (workers === 0) return 'no worker';
  return remoteProblem ? remoteStates[remoteProblem.kind] : 'ready';
}

const remoteStates = { unreachable: 'unreachable', 'bad-card': 'bad card' } as const;

const silentFor = (since: string): string => `no answer for ${ageText(Date.now() - Date.parse(since))}`;

/** `350ms`, `12s`, `5m`, `3h`. */
function ageText(ms: number): string {
  if (ms < 1_000) return ms === 0 ? '-' : `${Math.round(ms)}ms`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)}s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)}m` : `${Math.round(ms / 3_600_000)}h`;
}
