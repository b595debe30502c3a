import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Task } from '@switchyard/protocol';
import { userMessage } from '../../../tests/support/messages.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { get, post, type RestAnswer } from '../../../tests/support/rest.ts';

export const subjects = Array.from({ length: 12 }, (_, n) => `user-${n}`);
const keyOf = (subject: string): string => `key-of-${subject}-0123456789`;
export const headersOf = (subject: string): Record<string, string> => ({ 'x-api-key': keyOf(subject) });

const shared = { LOG_LEVEL: 'info', DEFAULT_AGENT: 'echo' };

/** Fields of DEPLOYMENTS_FILE. */
export interface ListedEntry {
  readonly number: number;
  readonly redisUrl: string;
  readonly prefix?: string;
  readonly shards?: number;
  readonly opensAt?: string;
  readonly closedAt?: string;
}

export async function writeDeployments(folder: string, deployments: readonly ListedEntry[]): Promise<string> {
  const path = join(folder, 'deployments.json');
  await writeFile(path, JSON.stringify({ deployments }));
  return path;
}

/** A gateway for all subjects, with the settings of its deployment or its deployments. */
export async function startGateway(env: Record<string, string>): Promise<{ url: string; program: Program }> {
  const keys = subjects.map((subject) => `${keyOf(subject)}:${subject}`).join(',');
  const access = { PORT: '0', GRPC_PORT: 'off', AUTH: 'api-key', API_KEYS: keys };
  const program = await startProgram({ file: 'apps/gateway/src/main.ts', env: { ...shared, ...access, ...env } });
  const [, url = ''] = await program.waitFor(/"url":"(http[^"]+)","msg":"listening"/);
  return { url, program };
}

/** A worker with the echo agent. */
export async function startWorker({ number, redisUrl, prefix = 'sw', shards = 1 }: ListedEntry): Promise<Program> {
  const env = { ...shared, DRAIN_MS: '0', REDIS_URL: redisUrl, KEY_PREFIX: prefix };
  const program = await startProgram({
    file: 'apps/worker/src/main.ts',
    args: ['--agents', 'examples/echo/agent.ts'],
    env: { ...env, SHARDS: String(shards), DEPLOYMENT: String(number) },
  });
  await program.waitFor(/"(?:event|msg)":"started"/);
  return program;
}

/** What a client has sent: the task of each message, by its id. */
export interface Sent {
  readonly tasks: Map<string, string>;
  /** Messages whose attempts got several tasks, and answers that no retry would change. */
  readonly problems: string[];
}

export interface ClientOptions {
  readonly subject: string;
  /** The running gateways. */
  readonly urls: () => readonly string[];
  readonly isOver: () => boolean;
  readonly pauseMs: number;
}

/**
 * Sends messages, one after the other, each twice and at any gateway: to new contexts, to its last one, and to some that
 * it has named itself.
 */
export async function sendAlong({ subject, urls, isOver, pauseMs }: ClientOptions): Promise<Sent> {
  const sent: Sent = { tasks: new Map(), problems: [] };
  let contextId: string | undefined;
  for (let n = 0; !isOver(); n++) {
    const contexts = [undefined, contextId, `${subject}-${Math.floor(n / 12)}`];
    const named = contexts[n % contexts.length];
    const message = { ...userMessage(`message ${n}`), ...(named !== undefined && { contextId: named }) };
    for (let attempt = 0; attempt < 2; attempt++) {
      const task = await sendUntilAnswered(message, { subject, urls, attempt: n + attempt, problems: sent.problems });
      if (!task) break;
      const before = sent.tasks.get(message.messageId);
      if (before !== undefined && before !== task.id) sent.problems.push(`${message.messageId} has two tasks`);
      if (named !== undefined && task.contextId !== named) sent.problems.push(`${task.id} is in another context`);
      sent.tasks.set(message.messageId, task.id);
      contextId = task.contextId;
    }
    await delay(pauseMs);
  }
  return sent;
}

interface Sending extends Pick<ClientOptions, 'subject' | 'urls'> {
  readonly attempt: number;
  readonly problems: string[];
}

/** A gateway that stops refuses the connection, breaks it, or answers 503: then the message goes to the next one. */
async function sendUntilAnswered(
  message: object,
  { subject, urls, attempt, problems }: Sending,
): Promise<Task | undefined> {
  const body = { message, configuration: { returnImmediately: true } };
  for (let at = attempt; ; at++) {
    const all = urls();
    const url = all[at % all.length] ?? '';
    const answer = await post<{ task: Task }>(`${url}/message:send`, body, headersOf(subject)).catch(() => undefined);
    if (answer?.status === 200) return answer.body.task;
    if (answer && answer.status !== 503) {
      problems.push(`${answer.status} ${JSON.stringify(answer.body)}`);
      return undefined;
    }
    await delay(50);
  }
}

export function readAs<Body>(url: string, subject: string): Promise<RestAnswer<Body>> {
  return get<Body>(url, headersOf(subject));
}

/** The ids of all of a subject's tasks, page by page. */
export async function listAs(url: string, subject: string): Promise<{ ids: string[]; totalSize: number }> {
  const ids: string[] = [];
  for (let token = ''; ; ) {
    const path = `${url}/tasks?pageSize=100&pageToken=${encodeURIComponent(token)}`;
    const { body } = await readAs<{ tasks: Task[]; nextPageToken: string; totalSize: number }>(path, subject);
    ids.push(...body.tasks.map(({ id }) => id));
    token = body.nextPageToken;
    if (token === '') return { ids, totalSize: body.totalSize };
  }
}
