import type { Command } from 'commander';
import { z } from 'zod';
import { type GatewayPaths, openGateway } from '../agent/gateway.ts';
import { callFailure, isCutOff } from '../failures/call-failure.ts';
import { CommandFailure } from '../failures/failure.ts';
import { field } from '../output/labelled-text.ts';
import { type Invocation, openSession } from '../session/session.ts';

const listSchema = z.object({
  agents: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      description: z.string().optional(),
      version: z.string().optional(),
      isDefault: z.boolean().optional(),
      workers: z.number().optional(),
      url: z.string(),
    }),
  ),
});
const cardSchema = z.looseObject({
  skills: z.array(z.looseObject({ id: z.string(), name: z.string(), description: z.string().optional() })).default([]),
});
const catalogueSchema = z.looseObject({
  entries: z.array(
    z.looseObject({
      type: z.string(),
      identifier: z.string(),
      displayName: z.string(),
      description: z.string().optional(),
      version: z.string().optional(),
      url: z.string(),
    }),
  ),
});

type Agent = z.infer<typeof listSchema>['agents'][number];
type Listed = Agent & { readonly skills: z.infer<typeof cardSchema>['skills'] };

/** `agents`: the agents of a gateway, as its clients see them. */
export function addAgentsCommand(program: Command, invocation: Invocation): void {
  program
    .command('agents')
    .description('list the agents of a gateway that you may call, or those that match a text: addresses and skills')
    .argument('[text]')
    .action(async (text: string | undefined, _, command: Command) => {
      const session = await openSession(invocation, command);
      try {
        const gateway = await openGateway(session.call);
        const { agents, isPublic } = await read(gateway, text);
        if (isPublic)
          session.output.note('These are the agents in the public catalogue; with your key there may be others.');
        session.output.result({ agents }, () => agents.map(agentText).join('\n') || field('Agents', 'none'));
      } catch (error) {
        throw callFailure(error, session.call.signal);
      }
    });
}

/** The agents that the caller may use; without a key those of the public catalogue. */
async function read(gateway: GatewayPaths, text = ''): Promise<{ agents: Listed[]; isPublic: boolean }> {
  try {
    const query = text === '' ? '' : `?${new URLSearchParams({ q: text })}`;
    const { agents } = await jsonAt(gateway, `/agents${query}`, listSchema);
    return { agents: await withSkills(gateway, agents), isPublic: false };
  } catch (error) {
    if (!(error instanceof CommandFailure && error.code === 'A2ACLI_ERR_CREDENTIALS_MISSING') || text !== '')
      throw error;
    const { entries } = await jsonAt(gateway, '/.well-known/ard.json', catalogueSchema, { isPublic: true });
    const cards = entries.filter(({ type }) => type === 'application/a2a-agent-card+json');
    const agents = cards.map(({ identifier, displayName, url, description, version }): Agent => {
      const address = url.replace(/\/\.well-known\/agent-card\.json$/, '');
      return { id: identifier.split(':').at(-1) ?? '', name: displayName, url: address, description, version };
    });
    return { agents: await withSkills(gateway, agents), isPublic: true };
  }
}

const AT_ONCE = 8;

/** Cards are public. */
async function withSkills(gateway: GatewayPaths, agents: readonly Agent[]): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (let i = 0; i < agents.length; i += AT_ONCE) {
    const some = agents.slice(i, i + AT_ONCE).map(async (agent): Promise<Listed> => {
      const path = `/agents/${encodeURIComponent(agent.id)}/.well-known/agent-card.json`;
      const { skills } = await jsonAt(gateway, path, cardSchema, { isPublic: true });
      return { ...agent, skills };
    });
    listed.push(...(await Promise.all(some)));
  }
  return listed;
}

async function jsonAt<Schema extends z.ZodType>(
  gateway: GatewayPaths,
  path: string,
  schema: Schema,
  options: { readonly isPublic?: boolean } = {},
): Promise<z.output<Schema>> {
  const response = await gateway.get(path, options);
  if (response.status >= 500)
    throw new CommandFailure('A2ACLI_ERR_UNREACHABLE', `${gateway.base} answers with HTTP ${response.status}`, {
      a2aCode: response.status,
      hint: 'Try again in a moment.',
    });
  const { data } = schema.safeParse(response.ok ? await response.json().catch(unlessCutOff) : undefined);
  if (data !== undefined) return data;
  throw new CommandFailure(
    'A2ACLI_ERR_CARD_NOT_FOUND',
    `${gateway.base} has no list of agents (HTTP ${response.status})`,
    {
      a2aCode: response.status,
      hint: 'Only Switchyard gateways have one. Any agent has a card: card get.',
    },
  );
}

/** No JSON is no list of agents. */
function unlessCutOff(error: unknown): undefined {
  if (isCutOff(error)) throw error;
}

function agentText({ id, name, description, version, isDefault, workers, url, skills }: Listed): string {
  return [
    field('Agent', isDefault ? `${id} (default)` : id),
    field('Name', name),
    field('Description', description),
    field('Version', version),
    field('Address', url),
    field('Workers', workers),
    ...skills.map((skill) => field('Skill', `${skill.id}: ${skill.description || skill.name}`)),
  ].join('');
}
