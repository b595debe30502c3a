import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { BulkProgress, DeadLetter } from '@switchyard/operator-api';
import * as sample from './stand-in-answers.ts';

/** A request to the stand-in. */
export interface ReceivedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The operators' API with fixed answers, for tests of its clients. */
export interface StandInApi extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly requests: readonly ReceivedRequest[];
  /** Changes the answer of a path, also for its open streams. @param path without the query */
  answer(path: string, answer: object): void;
  /** Sends an event to the streams of a path, and to those opened later. */
  send(path: string, event: object): void;
  /** Requests for a path get no answer from now on. */
  hang(path: string): void;
  /** Closes all connections. */
  cut(): void;
}

export interface StandInOptions {
  /** Number of tasks in the list. */
  readonly tasks?: number;
  /** Handles requests outside the API: the page. */
  readonly page?: RequestListener;
}

type Find = (found: { readonly id: string; readonly query: ReceivedRequest['query'] }) => object | undefined;

/** The ids of tasks are their numbers. */
const numberIn = (id: string): number => Number.parseInt(id.slice(-12), 16);
const key = 'a-key-for-operators';

export async function openStandInApi({ tasks = 10_000, page }: StandInOptions = {}): Promise<StandInApi> {
  const requests: ReceivedRequest[] = [];
  const given = new Map<string, object>();
  const events = new Map<string, object[]>();
  const streams = new Map<ServerResponse, { readonly path: string; readonly resend: () => void }>();
  const hanging = new Set<string>();
  const finders = findersOf(tasks);

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://stand-in');
    if (!pathname.startsWith('/admin/')) return void (page ?? nothing)(req, res);
    if (req.headers.authorization !== `Bearer ${key}`) return void write(res, 401, refusal(401, 'UNAUTHENTICATED'));
    const query = Object.fromEntries(searchParams);
    const { method = 'GET' } = req;
    const body = method === 'POST' ? await text(req) : '';
    requests.push({ method, path: pathname, query, body: body ? JSON.parse(body) : undefined });
    const path = decodeURIComponent(pathname);
    if (hanging.has(path)) return;
    if (method !== 'GET') act(res, path);
    else if (path === '/admin/archive:verify') resume(res, sample.archiveCheck, query);
    else if (path === '/admin/tenants/acme/export') resume(res, sample.tenantExport, query);
    else if (/^\/admin\/tasks\/[^/]+\/events$/.test(path)) follow(req, res, path);
    else read(req, res, { path, query });
  }

  function read(
    req: IncomingMessage,
    res: ServerResponse,
    { path, query }: Pick<ReceivedRequest, 'path' | 'query'>,
  ): void {
    const find = (): object | undefined => given.get(path) ?? found(finders, path, query);
    if (isForeignToken(query)) return void write(res, 400, refusal(400, 'INVALID_ARGUMENT'));
    if (!find()) return void write(res, 404, refusal(404, 'NOT_FOUND'));
    if (!req.headers.accept?.includes('text/event-stream')) return void write(res, 200, find());
    begin(res);
    let last = Number(req.headers['last-event-id'] ?? 0);
    const resend = (): void => {
      const json = JSON.stringify(find());
      const id = numberOf(json);
      if (id !== last) res.write(`id: ${id}\ndata: ${json}\n\n`);
      last = id;
    };
    resend();
    keep(res, path, resend);
  }

  /** A gateway that stops after two events: the action goes on with the next request. */
  function resume(
    res: ServerResponse,
    all: readonly { readonly nextPageToken: string }[],
    { pageToken }: ReceivedRequest['query'],
  ): void {
    const next = all.findIndex((one) => one.nextPageToken === pageToken) + 1;
    writeEvents(res, all.slice(next, next + 2));
  }

  function follow(req: IncomingMessage, res: ServerResponse, path: string): void {
    const sent = eventsOf(path);
    begin(res);
    let next = Number(req.headers['last-event-id'] ?? 0);
    const resend = (): void => {
      for (; next < sent.length; next++) res.write(`id: ${next + 1}\ndata: ${JSON.stringify(sent[next])}\n\n`);
    };
    resend();
    keep(res, path, resend);
  }

  function eventsOf(path: string): object[] {
    const sent = events.get(path) ?? [...sample.taskEvents(numberIn(path.split('/')[3] ?? ''))];
    events.set(path, sent);
    return sent;
  }

  function act(res: ServerResponse, path: string): void {
    if (given.has(path)) return void write(res, 200, given.get(path));
    if (path === '/admin/dead-letters:retry') return void writeEvents(res, bulkProgress);
    if (path === '/admin/archive:repair') return void writeEvents(res, repaired);
    if (path === '/admin/archive:recount') return void writeEvents(res, [{ isDone: timesAsked(path) > 1 }]);
    if (/:(?:rerun|retry)$/.test(path)) return void write(res, 200, sample.startedTask);
    write(res, 204);
  }

  const timesAsked = (path: string): number => requests.filter((each) => each.path === path).length;

  function keep(res: ServerResponse, path: string, resend: () => void): void {
    streams.set(res, { path, resend });
    res.on('close', () => streams.delete(res));
  }

  const resendTo = (path: string): void => {
    for (const each of streams.values()) if (each.path === path) each.resend();
  };
  const server = createServer((req, res) => void serve(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    requests,
    answer(path, answer) {
      given.set(path, answer);
      resendTo(path);
    },
    send(path, event) {
      eventsOf(path).push(event);
      resendTo(path);
    },
    hang: (path) => void hanging.add(path),
    cut: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers by path; `:id` is a parameter. */
function findersOf(tasks: number): Readonly<Record<string, Find>> {
  const rows = Array.from({ length: tasks }, (_, n) => sample.taskRow(n));
  return {
    '/admin/me': () => sample.me,
    '/admin/health': () => ({ status: 'ready' }),
    '/admin/log-level': () => sample.logLevel,
    '/admin/overview': () => sample.overview,
    '/admin/archive': () => ({
      archive: { tasks: 12_345, bytes: 34_000_000, oldestEndedAt: '2026-02-01T00:00:00.000Z', leftOut: ['t7', 't3'] },
    }),
    '/admin/files': () => ({ files: sample.files }),
    '/admin/tasks': ({ query }) => {
      const states = query.state?.split(',');
      const matching = rows.filter(
        (row) =>
          (!states || states.includes(row.state)) &&
          (query.stuck !== 'true' || row.state === 'TASK_STATE_SUBMITTED') &&
          (['agent', 'tenant', 'subject', 'contextId'] as const).every(
            (name) => !query[name] || row[name] === query[name],
          ) &&
          (!query.id || row.taskId === query.id),
      );
      return { ...paged('tasks', matching, query), isPartial: false };
    },
    '/admin/tasks/:id': ({ id }) => (numberIn(id) < tasks ? sample.taskDetail(numberIn(id)) : undefined),
    '/admin/agents': ({ query }) =>
      paged(
        'agents',
        sample.agents.filter(({ id }) => id === (query.id ?? id)),
        query,
      ),
    '/admin/agents/:id/tenants': () => ({ tenants: sample.tenants }),
    '/admin/workers': ({ query }) =>
      paged(
        'workers',
        sample.workers.filter(({ agents }) => !query.agent || agents.includes(query.agent)),
        query,
      ),
    '/admin/turns': ({ query }) => paged('turns', [], query),
    '/admin/stuck': ({ query }) => paged('tasks', [], query),
    '/admin/interrupted': ({ query }) => paged('tasks', sample.interrupted, query),
    '/admin/dead-letters': ({ query }) => paged('deadLetters', lettersFor(query), query),
    '/admin/dead-letters/:id': ({ id }) => sample.deadLetters.find((letter) => letter.id === id),
    '/admin/schedules': ({ query }) => paged('schedules', sample.schedules, query),
    '/admin/conversations': ({ query }) => paged('conversations', sample.conversations, query),
    '/admin/conversations/:id': ({ id }) => {
      const row = sample.conversations.find(({ conversationId }) => conversationId === id);
      return row && sample.conversation(row);
    },
    '/admin/series': () => sample.series,
  };
}

function found(
  finders: Readonly<Record<string, Find>>,
  path: string,
  query: ReceivedRequest['query'],
): object | undefined {
  const [, , list, id, rest] = path.split('/');
  const pattern = ['/admin', list, id && ':id', rest].filter(Boolean).join('/');
  return finders[pattern]?.({ id: id ?? '', query });
}

function lettersFor({ kind, agent, tenant, reason }: ReceivedRequest['query']): DeadLetter[] {
  return sample.deadLetters.filter(
    (letter) =>
      (!kind || letter.kind === kind) &&
      (!agent || letter.agent === agent) &&
      (!tenant || letter.tenant === tenant) &&
      (!reason || letter.reason.includes(reason)),
  );
}

/** A page token is the number of the first item, and the search that it belongs to. */
function paged(name: string, items: readonly object[], query: ReceivedRequest['query']): object {
  const { pageSize = '50', pageToken = '' } = query;
  const from = Number.parseInt(pageToken || '0', 10);
  const to = from + Number(pageSize);
  const nextPageToken = to < items.length ? `${to} ${searchOf(query)}` : '';
  return { [name]: items.slice(from, to), totalSize: items.length, nextPageToken };
}

function isForeignToken({ pageToken = '', ...query }: ReceivedRequest['query']): boolean {
  return pageToken.includes(' ') && !pageToken.endsWith(` ${searchOf(query)}`);
}

function searchOf({
  pageSize: _,
  pageToken: _token,
  contents: _contents,
  ...search
}: ReceivedRequest['query']): string {
  return JSON.stringify(search);
}

const bulkProgress: readonly BulkProgress[] = [0, 80, 160, 240, 320].map((done) => ({
  total: 320,
  done,
  retried: Math.round(done * 0.95),
  refused: done - Math.round(done * 0.95),
  isDone: done === 320,
}));

function writeEvents(res: ServerResponse, events: readonly object[]): void {
  begin(res);
  for (const event of events) res.write(`data: ${JSON.stringify(event)}\n\n`);
  res.end();
}

const repaired = sample.archiveCheck.map((progress) => ({
  ...progress,
  problems: progress.problems.map((problem) => ({ ...problem, isRepaired: true })),
}));

const nothing: RequestListener = (_, res) => write(res, 404);

function begin(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders();
}

function write(res: ServerResponse, status: number, answer?: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(answer && JSON.stringify(answer));
}

function refusal(code: number, reason: string): object {
  return { error: { code, status: reason, message: `The stand-in says ${reason}`, details: [{ reason }] } };
}

/** Distinguishes answers. */
function numberOf(json: string): number {
  let number = 7;
  for (let i = 0; i < json.length; i++) number = (number * 31 + json.charCodeAt(i)) % 1_000_000_007;
  return number;
}
