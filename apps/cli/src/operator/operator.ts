import { readFile } from 'node:fs/promises';
import { OperatorClient, type OperatorClientOptions, OperatorError } from '@switchyard/operator-api';
import type { Command } from 'commander';
import { z } from 'zod';
import { isCutOff } from '../failures/call-failure.ts';
import { CommandFailure } from '../failures/failure.ts';
import { networkReason, proxyFailure } from '../failures/network-failure.ts';
import { type Invocation, openSession, type Session } from '../session/session.ts';
import { countOf } from '../settings/options.ts';
import { isOperatorsPort, requireGatewayAnswer } from './gateway-answer.ts';
import { defaultOperatorUrl, operatorKey, operatorUrl } from './operator-settings.ts';

const operatorHelp = `
Environment:
  SWITCHYARD_OPERATOR_URL     URL of the operators' port (default: of the deployment running in this folder,
                              else ${defaultOperatorUrl})
  ADMIN_KEY, ADMIN_KEY_FILE   its key (default: operator-key in .switchyard, .data or DATA_DIR)`;

/** Makes a command, or a group of them, one of operators. */
export function ofOperators(command: Command): Command {
  return command
    .option(
      '--deployment <number>',
      'which of several deployments (default: DEPLOYMENT of the gateway; an id says its own)',
    )
    .addHelpText('after', operatorHelp);
}

/** Runs a command of operators. `explain` converts what one of its calls threw to a failure. @throws {CommandFailure} */
export async function withOperator(
  invocation: Invocation,
  command: Command,
  run: (session: Session, api: OperatorClient, explain: (error: unknown) => unknown) => Promise<void>,
): Promise<void> {
  const session = await openSession(invocation, command);
  const access = await operatorAccess(invocation);
  const explain = (error: unknown): unknown => operatorFailure(error, access.url);
  const asked = askedOf(session, command);
  await explained(access.url, run(session, operatorClient(access, session, asked), explain));
}

/** Which deployment a command asks; it says on stderr which one answers, if there are several. */
export function askedOf({ output }: Pick<Session, 'output'>, command: Command): AskedDeployment {
  const { deployment: given }: { readonly deployment?: unknown } = command.optsWithGlobals();
  const deployment = typeof given === 'string' ? countOf('--deployment')(given) : undefined;
  let known = deployment;
  return {
    deployment,
    onDeployment: (number) => {
      if (number === known) return;
      known = number;
      output.note(`deployment ${number} (of several: --deployment <number> chooses one)`);
    },
  };
}

type AskedDeployment = Pick<OperatorClientOptions, 'deployment' | 'onDeployment'>;

/** A client whose requests end with `--timeout` and Ctrl-C. */
export function operatorClient(
  access: OperatorAccess,
  { call: { signal } }: Pick<Session, 'call'>,
  asked: AskedDeployment = {},
): OperatorClient {
  return new OperatorClient({
    ...access,
    ...asked,
    fetch: async (url, init) => {
      // A redirect would take the key to another address.
      const response = await fetch(url, { ...init, signal, redirect: 'manual' });
      return requireGatewayAnswer(response, new Headers(init?.headers).get('accept'));
    },
  });
}

/** Converts what a call of the operators' API threw to a failure. @throws {CommandFailure} */
export async function explained<T>(url: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw operatorFailure(error, url);
  }
}

/** URL of the operators' port, and the key. */
export interface OperatorAccess {
  readonly url: string;
  readonly key: string;
}

/** @throws {CommandFailure} */
export async function operatorAccess(invocation: Invocation): Promise<OperatorAccess> {
  const { url: text, source } = await operatorUrl(invocation);
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    // What is before an @ may be a password.
    throw new CommandFailure('A2ACLI_ERR_USAGE', `${source} is no address: ${text.slice(text.lastIndexOf('@') + 1)}`, {
      hint: `It is that of an operators' port, such as ${defaultOperatorUrl}.`,
    });
  if (url.username || url.password)
    throw new CommandFailure('A2ACLI_ERR_USAGE', `${source} has a user name or a password, and a gateway takes none`, {
      hint: 'Set ADMIN_KEY or ADMIN_KEY_FILE to the key of this deployment.',
    });
  return { url: text.trim(), key: await readKey(invocation, text) };
}

async function readKey(invocation: Invocation, url: string): Promise<string> {
  const found = operatorKey(invocation, url);
  if (found === 'none')
    throw new CommandFailure('A2ACLI_ERR_CREDENTIALS_MISSING', `There is no operator's key for ${url}`, {
      hint: 'Set ADMIN_KEY or ADMIN_KEY_FILE to the key of this deployment.',
    });
  if ('key' in found) return found.key;
  const { file } = found;
  const missing = (why: string, cause?: unknown) =>
    new CommandFailure('A2ACLI_ERR_CREDENTIALS_MISSING', `There is no operator's key: ${file} ${why}`, {
      hint: 'Set ADMIN_KEY, or run this in the folder where switchyard up or npm start runs.',
      cause,
    });
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw missing(`cannot be read${error instanceof Error && 'code' in error ? ` (${error.code})` : ''}`, error);
  });
  if (text.trim() === '') throw missing('is empty');
  return text.trim();
}

/** By the name in the error of what is not there. */
const whereToLook: Readonly<Record<string, string>> = {
  agent: 'switchyard queue lists the agents.',
  worker: 'switchyard doctor and the console list the workers.',
  'dead-letter': 'switchyard dead list lists the dead letters.',
  key: 'switchyard keys list lists the keys.',
  scheduleId: 'switchyard schedules lists the schedules that go on.',
  taskId: 'switchyard search finds tasks of all clients: they are kept for RETENTION_MS after their end.',
};

/** Converts an error of the operators' API, or of another path of the gateway, to a failure. */
export function operatorFailure(error: unknown, url: string): unknown {
  if (error instanceof OperatorError) return refused(error, url);
  if (error instanceof z.ZodError)
    return new CommandFailure(
      'SWITCHYARD_ERR_UNKNOWN_ANSWER',
      `${url} sent an answer that this command does not understand: ${firstIssueOf(error)}`,
      {
        hint: 'Do this command and the gateway have the same version? Is it the operators’ port of a gateway?',
        cause: error,
      },
    );
  if (error instanceof SyntaxError)
    return new CommandFailure('SWITCHYARD_ERR_UNKNOWN_ANSWER', `${url} sent no complete JSON`, {
      hint: isOperatorsPort,
      cause: error,
    });
  if (isCutOff(error))
    return new CommandFailure('A2ACLI_ERR_UNREACHABLE', `${url} ended the connection in the middle of its answer`, {
      hint: 'Try again; if that lasts, the log of the gateway, or of a proxy before it, says why.',
      cause: error,
    });
  const failure = proxyFailure(error, new URL(url));
  if (failure) return failure;
  if (!(error instanceof TypeError && error.message === 'fetch failed')) return error;
  const text = `No gateway has its operators' port at ${url}: ${networkReason(error)}`;
  return new CommandFailure('A2ACLI_ERR_UNREACHABLE', text, {
    hint:
      'Is switchyard up running in this folder? ' +
      'For another deployment, set SWITCHYARD_OPERATOR_URL to its gateway’s ADMIN_HOST and ADMIN_PORT.',
  });
}

/** `agents: expected array, received undefined` */
function firstIssueOf({ issues: [issue, ...others] }: z.ZodError): string {
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return issue ? `${issue.path.join('.')}: ${issue.message}${more}` : 'it is empty';
}

function refused({ status, reason, message, metadata }: OperatorError, url: string): CommandFailure {
  if (status === 401 || status === 403)
    return new CommandFailure('A2ACLI_ERR_AUTH_FAILED', `${url} refused the key: ${message}`, {
      a2aCode: status,
      hint: 'Is it the key of this deployment? See ADMIN_KEY and ADMIN_KEY_FILE.',
    });
  if (reason === '')
    return new CommandFailure('SWITCHYARD_ERR_REFUSED', `${url} answered HTTP ${status}: ${message}`, {
      a2aCode: status,
      hint: isOperatorsPort,
    });
  if (status === 503)
    return new CommandFailure(`SWITCHYARD_ERR_${reason}`, message, {
      a2aCode: status,
      hint: 'Try again in a moment; switchyard doctor says what does not answer.',
      exitCode: 3,
    });
  const [missing, id = ''] = Object.entries(metadata).find(([name]) => name in whereToLook) ?? [];
  const isMissing = status === 404 && missing !== undefined;
  // As the port for clients says it.
  if (message === 'Nothing is served at this path')
    return new CommandFailure(`SWITCHYARD_ERR_${reason}`, `${url} answered HTTP 404: ${message}`, {
      a2aCode: status,
      hint: isOperatorsPort,
    });
  const text = isMissing && !message.includes(id) ? `${message}: ${id}` : message;
  return new CommandFailure(`SWITCHYARD_ERR_${reason}`, text, {
    a2aCode: status,
    hint: isMissing ? whereToLook[missing] : undefined,
  });
}
