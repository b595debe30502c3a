import { OperatorClient } from '@switchyard/operator-api';
import type { Command } from 'commander';
import { openGateway } from '../agent/gateway.ts';
import { CommandFailure } from '../failures/failure.ts';
import { type Invocation, openSession, type Session } from '../session/session.ts';
import { askedOf, explained, operatorAccess, operatorClient, operatorFailure } from './operator.ts';

/** The schedules of all clients, or, for a client, its own. */
export interface ScheduleAccess {
  readonly api: OperatorClient;
  /** Path or URL of the list. */
  readonly list: string;
  /** Unset: the caller is a client. */
  readonly isOperator: boolean;
  /** Converts what a call threw to a failure. */
  readonly explain: (error: unknown) => unknown;
}

/** With an operators' key the schedules are those of all clients, without one the caller's own. @throws {CommandFailure} */
export async function withSchedules(
  invocation: Invocation,
  command: Command,
  run: (session: Session, access: ScheduleAccess) => Promise<void>,
): Promise<void> {
  const session = await openSession(invocation, command);
  const operator = await operatorAccess(invocation).catch((error: unknown) => {
    if (namesOperators(invocation) || !isWithoutKey(error)) throw error;
    return undefined;
  });
  if (!operator) return asClient(session, run);
  const explain = (error: unknown): unknown => operatorFailure(error, operator.url);
  const api = operatorClient(operator, session, askedOf(session, command));
  await explained(operator.url, run(session, { api, list: '/admin/schedules', isOperator: true, explain }));
}

async function asClient(session: Session, run: Parameters<typeof withSchedules>[2]): Promise<void> {
  const { base, fetch } = await openGateway(session.call);
  const explain = (error: unknown): unknown => operatorFailure(error, base);
  const api = new OperatorClient({ url: base, key: '', fetch });
  await explained(base, run(session, { api, list: `${base}/schedules`, isOperator: false, explain }));
}

const namesOperators = ({ env }: Invocation): boolean =>
  Boolean(env.ADMIN_KEY || env.ADMIN_KEY_FILE || env.SWITCHYARD_OPERATOR_URL);

const isWithoutKey = (error: unknown): boolean =>
  error instanceof CommandFailure && error.code === 'A2ACLI_ERR_CREDENTIALS_MISSING';
