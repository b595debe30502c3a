import type { ExportProgress, TenantDeletion, TenantExportQuery } from '@switchyard/operators';
import { A2AError } from '@switchyard/protocol';
import { InvalidPageToken } from '@switchyard/store';
import { toA2AError } from '../telemetry/failures.ts';
import type { AdminBackend } from './route.ts';

interface WholeDeletion extends TenantDeletion {
  /** Deployments that did not answer: the tenant may have data there. Unset: there is one, or all did. */
  readonly notReached?: readonly number[];
}

/**
 * One step of a deletion, in each deployment: one that does not answer stops no other one.
 * @returns undefined: there is no such tenant. @throws {A2AError} Unavailable: none answers
 */
export async function deleteTenant(
  reached: readonly AdminBackend[],
  tenant: string,
): Promise<WholeDeletion | undefined> {
  const steps = await Promise.allSettled(reached.map(async ({ ops }) => ops.tenants.delete(tenant)));
  const failures = steps.flatMap((step) => (step.status === 'rejected' ? [step.reason] : []));
  const fault = failures.find((error) => reached.length === failures.length || !isBackendOutage(error));
  if (fault !== undefined) throw fault;
  const notReached = reached.flatMap(({ deployment = 0 }, i) => (steps[i]?.status === 'rejected' ? [deployment] : []));
  const done = steps.flatMap((step) => (step.status === 'fulfilled' && step.value ? [step.value] : []));
  if (done.length === 0 && notReached.length === 0) return undefined;
  const sum = (count: (step: TenantDeletion) => number): number => done.reduce((all, step) => all + count(step), 0);
  const archived = done.some(({ archivedTasksLeft }) => archivedTasksLeft !== undefined);
  return {
    deletedTasks: sum(({ deletedTasks }) => deletedTasks),
    tasksLeft: sum(({ tasksLeft }) => tasksLeft),
    ...(archived && { archivedTasksLeft: sum(({ archivedTasksLeft = 0 }) => archivedTasksLeft) }),
    isComplete: notReached.length === 0 && done.every(({ isComplete }) => isComplete),
    ...(notReached.length > 0 && { notReached }),
  };
}

/** Where an export of several deployments is. */
interface Position {
  readonly deployment: number;
  /** Tasks of the deployments before. */
  readonly before: number;
  /** In that deployment. */
  readonly pageToken?: string | undefined;
}

/**
 * The tasks of a tenant in each deployment, one after the other.
 * @throws {InvalidPageToken} @throws {A2AError} Unavailable: it goes on from here once the deployment answers
 */
export async function* exportTenant(
  reached: readonly AdminBackend[],
  query: TenantExportQuery,
  signal: AbortSignal,
): AsyncGenerator<ExportProgress, void> {
  const [first, ...others] = reached;
  if (first && others.length === 0) return yield* first.ops.tenantExport.run(query, signal);
  const from = query.pageToken === undefined ? undefined : positionIn(query.pageToken, reached);
  let { before } = from ?? { before: 0 };
  for (const backend of reached) {
    const { deployment = 0 } = backend;
    if (from && deployment < from.deployment) continue;
    const pageToken = deployment === from?.deployment ? from.pageToken : undefined;
    let done = 0;
    for await (const step of exportFrom(backend, { ...query, pageToken }, signal)) {
      done = step.done;
      const nextPageToken = tokenOf({ deployment, before, pageToken: step.nextPageToken });
      const isDone = step.isDone && backend === reached.at(-1);
      yield { ...step, total: before + step.total, done: before + done, nextPageToken, isDone };
    }
    if (signal.aborted) return;
    before += done;
  }
}

/** Says which deployment does not answer. */
async function* exportFrom(
  backend: AdminBackend,
  query: TenantExportQuery,
  signal: AbortSignal,
): AsyncGenerator<ExportProgress, void> {
  try {
    yield* backend.ops.tenantExport.run(query, signal);
  } catch (error) {
    if (!isBackendOutage(error)) throw error;
    const text = `Deployment ${backend.deployment} does not answer: its tasks, and those of later ones, are missing`;
    throw new A2AError('Unavailable', text, { retryAfterSeconds: 1, cause: error });
  }
}

function tokenOf({ deployment, before, pageToken = '' }: Position): string {
  return `${deployment}.${before}.${pageToken}`;
}

/** @throws {InvalidPageToken} */
function positionIn(token: string, reached: readonly AdminBackend[]): Position {
  const [, deployment = '', before = '', pageToken] = /^(\d{1,3})\.(\d{1,15})\.(.*)$/.exec(token) ?? [];
  if (!reached.some((each) => String(each.deployment) === deployment)) throw new InvalidPageToken();
  return { deployment: Number(deployment), before: Number(before), pageToken };
}

function isBackendOutage(error: unknown): boolean {
  return toA2AError(error).code === 'Unavailable';
}
