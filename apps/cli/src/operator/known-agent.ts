import type { OperatorClient } from '@switchyard/operator-api';
import { CommandFailure } from '../failures/failure.ts';
import { allAgents } from './queue.ts';

/** So many ids are in a message. */
const NAMED = 20;

/** A filter with a mistyped agent would match nothing. @throws {CommandFailure} it names the known agents */
export async function requireKnownAgent(api: OperatorClient, agent: string | undefined): Promise<void> {
  if (agent === undefined) return;
  const ids = (await allAgents(api)).map(({ id }) => id);
  if (ids.includes(agent)) return;
  const more = ids.length > NAMED ? `, and ${ids.length - NAMED} others` : '';
  const known = ids.length === 0 ? 'there are none' : `there are ${ids.slice(0, NAMED).join(', ')}${more}`;
  throw new CommandFailure('A2ACLI_ERR_USAGE', `--agent ${agent}: there is no such agent; ${known}`);
}
