import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorClient, OperatorError } from '@switchyard/operator-api';
import type { Command } from 'commander';
import { Failure } from '../failures/failure.ts';
import { openSession, type Session, type World } from '../session/session.ts';

/** The operators' port of `npm start`. */
const usualUrl = 'http://127.0.0.1:4100';

export const operatorHelp = `
The operators' port is SWITCHYARD_OPERATOR_URL (default: ${usualUrl}), the key ADMIN_KEY or in ADMIN_KEY_FILE
(default: operator-key in .data or DATA_DIR, where npm start keeps its files).`;

/** Runs a command of operators. @throws {Failure} */
export async function withOperator(
  world: World,
  command: Command,
  run: (session: Session, api: OperatorClient) => Promise<void>,
): Promise<void> {
  const session = await openSession(world, command);
  const url = world.env.SWITCHYARD_OPERATOR_URL || usualUrl;
  const key = await readKey(world);
  try {
    await run(session, new OperatorClient({ url, key }));
  } catch (error) {
    throw operatorFailure(error, url);
  }
}

async function readKey({ env, folder }: World): Promise<string> {
  if (env.ADMIN_KEY) return env.ADMIN_KEY;
  const file = env.ADMIN_KEY_FILE || join(folder, env.DATA_DIR || '.data', 'operator-key');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new Failure('A2ACLI_ERR_CREDENTIALS_MISSING', `There is no operator's key: ${file} cannot be read`, {
      hint: 'Set ADMIN_KEY, or run this in the folder where npm start runs.',
      cause: error,
    });
  }
}

function operatorFailure(error: unknown, url: string): unknown {
  if (error instanceof OperatorError) {
    const { status, reason, message } = error;
    if (status === 401 || status === 403)
      return new Failure('A2ACLI_ERR_AUTH_FAILED', `${url} refused the key: ${message}`, {
        a2aCode: status,
        hint: 'Is it the key of this deployment? See ADMIN_KEY and ADMIN_KEY_FILE.',
      });
    return new Failure(`SWITCHYARD_ERR_${reason || 'REFUSED'}`, message, { a2aCode: status });
  }
  if (!(error instanceof TypeError)) return error;
  const { cause } = error;
  const why = cause instanceof Error && 'code' in cause ? cause.code : error.message;
  return new Failure('A2ACLI_ERR_UNREACHABLE', `No gateway has its operators' port at ${url}: ${why}`, {
    hint: 'Set SWITCHYARD_OPERATOR_URL to the gateway’s ADMIN_HOST and ADMIN_PORT.',
  });
}
