import type { FileStore, StoredFile } from '@switchyard/files';
import { A2AError } from '@switchyard/protocol';
import { principalKey } from '@switchyard/store';
import type { Admission } from '../admission/admission.ts';
import { type Action, actions } from '../admission/scopes.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { baseUrl } from '../exchange/addresses.ts';
import {
  type Exchange,
  type Handler,
  pathPart,
  queryText,
  type Route,
  requestName,
  requireKnownParameters,
  respond,
} from '../exchange/exchange.ts';
import { answerFile, etagOf } from '../files/answer-file.ts';
import { BodyBroken, bodyOf } from '../files/body.ts';
import { fileNotFound, isTus, type Served, TusUploads } from '../files/tus-uploads.ts';
import { digestIn, factsOf } from '../files/upload-facts.ts';
import type { GatewayEvent } from '../telemetry/events.ts';
import { failureOf, toA2AError } from '../telemetry/failures.ts';
import { forCallers } from './for-callers.ts';

/** Files outside of tasks (docs/files.md). Not part of A2A. */
export function fileRoutes(context: GatewayContext): Route[] {
  const { files } = context;
  if (!files) return [];
  const uploads = new TusUploads(files);
  const upload = serveUpload(context, { files, uploads });
  return [
    { verb: 'POST', path: '/files', handle: upload },
    { verb: 'PATCH', path: '/files/:fileId', handle: upload },
    { verb: 'GET', path: '/files/:fileId', handle: serveFile(context, { files, uploads }) },
    { verb: 'DELETE', path: '/files/:fileId', handle: serveFileDeletion(context, files) },
  ];
}

interface Files {
  readonly files: FileStore;
  readonly uploads: TusUploads;
}

/** `POST /files`: a whole file, or, as PATCH too, a request of tus. */
function serveUpload(context: GatewayContext, { files, uploads }: Files): Handler {
  return forFiles(context, 'UploadFile', async (admission, exchange) => {
    using _stream = admission.hold('stream');
    if (!isTus(exchange) && exchange.req.method === 'PATCH') throw withoutTus();
    const served = isTus(exchange)
      ? await serveTus(context, uploads, { admission, exchange })
      : await storeWhole(context, files, { admission, exchange });
    auditFile(admission, 'UploadFile', { outcome: exchange.res.statusCode < 400 ? 'ok' : 'InvalidRequest' });
    return served;
  });
}

/** For callers, and counts the request. */
function forFiles(
  context: GatewayContext,
  operation: Extract<GatewayEvent, { kind: 'file-request' }>['operation'],
  serve: (admission: Admission, exchange: Exchange) => Promise<Served>,
): Handler {
  return forCallers(context, operation, async (admission, exchange) => {
    try {
      context.emit({ kind: 'file-request', operation, ...(await serve(admission, exchange)) });
    } catch (error) {
      context.emit({ kind: 'file-request', operation, outcome: toA2AError(error).code, bytes: 0 });
      throw error;
    }
  });
}

interface AdmittedExchange {
  readonly admission: Admission;
  readonly exchange: Exchange;
}

async function storeWhole(
  context: GatewayContext,
  files: FileStore,
  { admission, exchange }: AdmittedExchange,
): Promise<Served> {
  const { req, res } = exchange;
  requireKnownParameters(req, ['filename']);
  const {
    'content-type': mediaType,
    'content-length': length,
    'content-encoding': encoding = 'identity',
  } = req.headers;
  if (encoding !== 'identity')
    throw new A2AError('InvalidRequest', 'A file is stored as it is: send no Content-Encoding');
  const facts = factsOf({ filename: queryText(req, 'filename'), mediaType });
  const expected = { sizeBytes: length === undefined ? undefined : Number(length), sha256: digestIn(req.headers) };
  const owner = principalKey(admission.principal);
  const file = await files.write(owner, bodyOf(req), { facts, expected }).catch((error: unknown) => {
    throw error instanceof BodyBroken ? brokenOff(error) : error;
  });
  const { id, sizeBytes, sha256 } = file;
  const part = { url: fileUrl(context, exchange, id), ...facts };
  res.statusCode = 201;
  const headers = ['Location', part.url, 'ETag', etagOf(file), 'Cache-Control', 'no-store'];
  respond(res, 'application/json', JSON.stringify({ part, sizeBytes, sha256 }), headers);
  return { outcome: 'ok', bytes: sizeBytes };
}

function brokenOff(cause: BodyBroken): A2AError {
  return new A2AError('InvalidRequest', 'The body could not be read to its end: nothing of it is stored', { cause });
}

function serveTus(context: GatewayContext, uploads: TusUploads, { admission, exchange }: AdmittedExchange) {
  return uploads.serve(exchange, {
    owner: principalKey(admission.principal),
    urlOf: (id) => fileUrl(context, exchange, id),
    onError: (error) => context.emit({ ...failureOf(toA2AError(error)), ...requestName(exchange) }),
  });
}

/** `GET` and `HEAD`: with ranges, and validation of what the client has. */
function serveFile(context: GatewayContext, { files, uploads }: Files): Handler {
  return forFiles(context, 'ReadFile', async (admission, exchange) => {
    if (exchange.req.method === 'HEAD' && isTus(exchange)) return serveTus(context, uploads, { admission, exchange });
    const id = pathPart(exchange.req, 'fileId') ?? '';
    const opened = await files.open(principalKey(admission.principal), id);
    const isReadable = opened && isAccessible(context, admission, opened.file);
    auditFile(admission, 'ReadFile', { outcome: isReadable ? 'ok' : 'NotFound', id });
    try {
      if (!isReadable) throw fileNotFound(id);
      using _stream = admission.hold('stream');
      return { outcome: 'ok', bytes: await answerFile(opened, exchange) };
    } finally {
      await opened?.close();
    }
  });
}

/** A credential for some agents cannot read the files of others, as it cannot read their tasks. */
function isAccessible({ agents }: GatewayContext, admission: Admission, { agent }: StoredFile): boolean {
  if (agent === undefined) return true;
  if (!admission.canUse(agent)) return false;
  admission.requireAgent('ReadFile', agents.find(agent));
  return true;
}

function serveFileDeletion(context: GatewayContext, files: FileStore): Handler {
  return forFiles(context, 'DeleteFile', async (admission, { req, res }) => {
    const id = pathPart(req, 'fileId') ?? '';
    const owner = principalKey(admission.principal);
    const file = await files.find(owner, id);
    const isAllowed = !file || isAccessible(context, admission, file);
    const isDeleted = isAllowed && (await files.delete(owner, id));
    auditFile(admission, 'DeleteFile', { outcome: isDeleted ? 'ok' : 'NotFound', id });
    if (!isDeleted) throw fileNotFound(id);
    res.writeHead(204).end();
    return { outcome: 'ok', bytes: 0 };
  });
}

function auditFile(
  admission: Admission,
  action: Action,
  { outcome, id }: { readonly outcome: string; readonly id?: string },
): void {
  const object = id === undefined ? {} : { object: id.slice(0, 128) };
  admission.audit({ what: actions[action].audit, operation: action, outcome, ...object });
}

function fileUrl({ settings }: GatewayContext, { req }: Exchange, id: string): string {
  return `${baseUrl(req, settings)}/files/${id}`;
}

function withoutTus(): A2AError {
  return new A2AError('InvalidRequest', 'PATCH is for resumable uploads: send Tus-Resumable: 1.0.0 (docs/files.md)');
}
