import type { AuditAction, AuditEvent, Credentials } from '@switchyard/access';
import type { FileStore, OpenFile } from '@switchyard/files';
import type { Series } from '@switchyard/operator-api';
import type { Ops } from '@switchyard/operators';
import { A2AError, invalidParams } from '@switchyard/protocol';
import type { ScheduleList } from '@switchyard/schedules';
import { type EventId, type Feeds, InvalidPageToken, type Page, type PageQuery } from '@switchyard/store';
import type { Request } from 'express';
import type { z } from 'zod';
import { eventIdInHeader } from '../bindings/http-call.ts';
import type { ReadinessReading, ServedDeployment } from '../http/serve-health.ts';
import type { StreamItem } from '../operations/operation.ts';
import type { Operator } from './operators.ts';
import { withOwnToken, withTokenOf } from './page-tokens.ts';
import { noParameters, readParameters } from './parameters.ts';

/** What operators' routes work on: a deployment. */
export interface AdminBackend {
  /** Its number. Unset: it is the only one. */
  readonly deployment: number | undefined;
  readonly ops: Ops;
  readonly credentials: Credentials;
  readonly schedules: ScheduleList;
  readonly feeds: Pick<Feeds, 'follow' | 'readersOf'>;
  /** Unset: the deployment stores no files. */
  readonly files: Pick<FileStore, 'open' | 'keepFor' | 'status' | 'volume'> | undefined;
  readonly readiness: () => Promise<ReadinessReading>;
  /** All that the gateway serves; unset: there is one. */
  readonly deployments: readonly ServedDeployment[] | undefined;
  /** How the file that names them differs from what the gateway has read. Unset: it does not. */
  readonly fileChanges: () => string | undefined;
  /** Figures over time. */
  readonly series: { read(fromMs?: number): Series };
  /** Streams of this gateway, and how many it may have. */
  readonly streams: () => { readonly used: number; readonly max: number };
  /** Whether clients must authenticate. */
  readonly clientsNeedKeys: boolean;
}

/** An answer that is a stream of events. The signal is aborted when the reader disconnects. */
export class EventsAnswer {
  readonly events: (signal: AbortSignal) => AsyncIterable<StreamItem>;

  constructor(events: EventsAnswer['events']) {
    this.events = events;
  }
}

/** An answer that is a file. It is closed when it is sent. */
export class FileAnswer {
  readonly file: OpenFile;

  constructor(file: OpenFile) {
    this.file = file;
  }
}

/** The deployment of a request. */
export interface ChosenBackend {
  /** The number that its answer and audit event have. Unset: there is one, or the request is about all. */
  readonly deployment: number | undefined;
  readonly backend: AdminBackend;
  /** Those that a request is about which concerns a whole tenant: all, unless it names one. */
  readonly reached: readonly AdminBackend[];
}

/** A request of an operator. */
export interface AdminRoute {
  readonly verb: 'get' | 'post' | 'delete';
  /** Express path: `\\:` is a colon, `:id` a parameter. */
  readonly path: string;
  /** Its name in the audit trail. */
  readonly what: AuditAction;
  /** @throws {A2AError} */
  readonly run: (chosen: ChosenBackend, req: Request, operator: Operator) => Promise<AdminAnswer>;
}

/** Fields of the audit event from the answer. */
type AuditDetails = Pick<AuditEvent, 'object' | 'forTenant' | 'forSubject' | 'scopes'>;

interface AdminAnswer {
  /** Sent as JSON, as events, or as a file; undefined: 204. */
  readonly answer: object | EventsAnswer | FileAnswer | undefined;
  readonly details?: AuditDetails | undefined;
}

/** The audit event of a route, if it is not `read` or `admin` with the `:id` of the path. */
interface RouteAudit<Answer> {
  readonly what: AuditAction;
  readonly details?: (answer: Answer) => AuditDetails;
}

export interface AdminQuery<Parameters> {
  /** `:id` of the path, or ''. */
  readonly id: string;
  readonly parameters: Parameters;
  readonly operator: Operator;
  readonly reached: ChosenBackend['reached'];
  /** Of a resumed stream: the last event of the reader. */
  readonly after: EventId | undefined;
}

export function adminRoute<Schema extends z.ZodType, Answer extends object | undefined>(
  [verb, path]: readonly [verb: AdminRoute['verb'], path: string],
  schema: Schema,
  run: (backend: AdminBackend, query: AdminQuery<z.output<Schema>>) => Promise<Answer>,
  { what, details }: RouteAudit<Answer> = { what: verb === 'get' ? 'read' : 'admin' },
): AdminRoute {
  return {
    verb,
    path,
    what,
    run: async ({ backend, reached, deployment }, req, operator) => {
      const parameters = withOwnToken(await readParameters(req, schema), deployment);
      const [id, after] = [partOfPath(req, 'id'), eventIdInHeader(req)];
      const answer = await run(backend, { id, parameters, operator, reached, after });
      return { answer: withDeployment(answer, deployment), details: details?.(answer) };
    },
  };
}

/** An answer says which of several deployments it is about. */
function withDeployment(answer: object | undefined, deployment: number | undefined): AdminAnswer['answer'] {
  const isPlain = answer !== undefined && !(answer instanceof EventsAnswer) && !(answer instanceof FileAnswer);
  return isPlain && deployment !== undefined ? { deployment, ...withTokenOf(answer, deployment) } : answer;
}

/** An action without parameters. */
export function adminAction<Answer extends object | undefined>(
  at: readonly [verb: AdminRoute['verb'], path: string],
  run: (backend: AdminBackend, query: AdminQuery<object>) => Promise<Answer>,
  audit?: RouteAudit<Answer>,
): AdminRoute {
  return adminRoute(at, noParameters, run, audit);
}

/** A parameter of the path, or ''. */
export function partOfPath(req: Request, name: string): string {
  const part = req.params[name];
  return typeof part === 'string' ? part : '';
}

/** `GET` of a paged list. @param name of the list in the answer */
export function listRoute<Item extends object, Schema extends z.ZodType<PageQuery>>(
  [path, schema]: readonly [path: string, schema: Schema],
  name: string,
  list: (backend: AdminBackend, query: z.output<Schema>) => Promise<Page<Item>>,
): AdminRoute {
  return adminRoute(['get', path], schema, (backend, { parameters }) =>
    pageAnswer(name, () => list(backend, parameters)),
  );
}

/** @param name of the list in the answer. @throws {A2AError} InvalidParams, for a wrong page token */
export async function pageAnswer<Item extends object>(name: string, list: () => Promise<Page<Item>>): Promise<object> {
  const { items, totalSize, nextPageToken } = await requirePageToken(list);
  return { [name]: items, totalSize, nextPageToken };
}

/** @throws {A2AError} InvalidParams, for a wrong page token */
export async function requirePageToken<T>(list: () => Promise<T>): Promise<T> {
  try {
    return await list();
  } catch (error) {
    if (!(error instanceof InvalidPageToken)) throw error;
    throw invalidParams([{ field: 'pageToken', description: 'is not a page token of this list' }]);
  }
}

/** @param what `worker`, `agent`, … */
export function notFound(what: string, id: string): A2AError {
  const named = id.slice(0, 64);
  return new A2AError('NotFound', `There is no ${what} ${JSON.stringify(named)}`, {
    metadata: { [what.replace(' ', '-')]: named },
  });
}

/** Returns `thing` if it exists. @throws {A2AError} NotFound */
export function found<T>(thing: T | undefined, what: string, id: string): T {
  if (thing === undefined) throw notFound(what, id);
  return thing;
}
