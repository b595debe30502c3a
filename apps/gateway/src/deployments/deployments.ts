import { A2AError, type Message, type Principal, rerunUri } from '@switchyard/protocol';
import { type Availability, deploymentOf } from '@switchyard/store';
import type { Action } from '../admission/scopes.ts';
import type { Call } from '../call/call.ts';
import { isActive } from '../call/extensions.ts';
import type { Backend } from '../operations/backend.ts';
import type { Deployment, DeploymentParts } from './deployment.ts';
import type { Placement } from './placement.ts';
import type { UnitedRegistry } from './united-registry.ts';

/** A gateway with another clock, or a message that was on its way, may be this late. */
const LATE_MS = 10 * 60_000;

/** Fields of requests by which their deployment is found. */
interface NamingRequest {
  readonly id?: unknown;
  readonly taskId?: unknown;
  readonly contextId?: unknown;
  readonly message?: Message;
}

interface DeploymentsDependencies {
  readonly placement: Placement;
  readonly registry: UnitedRegistry;
  /** How long a deployment remembers a messageId. */
  readonly idempotencyMs: number;
}

/** A deployment to which a principal's new tasks have not gone since that time. */
interface Earlier {
  readonly deployment: Deployment;
  readonly sinceMs: number;
}

/** Several deployments behind one address: finds the one of each request (docs/deployments.md). */
export class Deployments {
  readonly #all: readonly Deployment[];
  readonly #backends: ReadonlyMap<Deployment, Backend>;
  readonly #byNumber: ReadonlyMap<number, Deployment>;
  readonly #placement: Placement;
  readonly #registry: UnitedRegistry;
  readonly #idempotencyMs: number;

  constructor(
    backends: ReadonlyMap<Deployment, Backend>,
    { placement, registry, idempotencyMs }: DeploymentsDependencies,
  ) {
    const all = [...backends.keys()];
    this.#all = all;
    this.#backends = backends;
    this.#byNumber = new Map(all.map((each) => [each.number, each]));
    this.#placement = placement;
    this.#registry = registry;
    this.#idempotencyMs = idempotencyMs;
  }

  /** The backend for an operation. @throws {A2AError} Unavailable: its deployment, or one that may be, is away */
  async backendFor(operation: Action, call: Call, request: NamingRequest): Promise<Backend> {
    const { principal } = call.scope;
    const { message, id, taskId = message ? message.taskId : id } = request;
    if (typeof taskId === 'string') return this.#backendOf(this.holderOf(taskId, principal));
    if (message) return this.#backendOf(await this.#forMessage(call, message));
    if (operation !== 'ListTasks') return this.#backendOf(this.#current(principal));
    const { contextId } = request;
    const [first, ...others] = this.#allOf(principal, typeof contextId === 'string' ? contextId : undefined);
    return { ...this.#backendOf(first), alsoListed: others.map(({ requests }) => requests.tasks) };
  }

  /**
   * The deployment where a task, conversation or schedule with this id is, or would be.
   * @throws {A2AError} Unavailable
   */
  holderOf(id: string, principal?: Principal): Deployment {
    const named = this.#byNumber.get(deploymentOf(id));
    // Nobody has it: any deployment says so.
    const holder = named ?? (principal && this.#currentOf(principal)) ?? this.#all.find((each) => each.isAnswering);
    if (!holder) throw noDeployment();
    return holder.require();
  }

  /**
   * Those that may have anything of a principal, or of its context; the first takes its new tasks.
   * @throws {A2AError} Unavailable
   */
  allPartsOf(principal: Principal, contextId?: string): [DeploymentParts, ...DeploymentParts[]] {
    const [current, ...others] = this.#allOf(principal, contextId);
    return [current.parts, ...others.map(({ parts }) => parts)];
  }

  /** `writable` if new tasks can be accepted somewhere. */
  async availability(): Promise<Availability> {
    const all = await Promise.all(this.#all.map(availabilityOf));
    return (['writable', 'refuses-writes'] as const).find((each) => all.includes(each)) ?? 'unreachable';
  }

  #allOf(principal: Principal, contextId?: string): [Deployment, ...Deployment[]] {
    // One time for both: one that is closed between two readings of the clock would be in neither.
    const nowMs = Date.now();
    const current = this.#current(principal, nowMs);
    const others = this.#earlier(principal, nowMs).map(({ deployment }) => deployment);
    const named = this.#makerOf(contextId);
    if (named && named !== current && !others.includes(named)) others.push(named);
    return [current.require(), ...others.map((each) => each.require())];
  }

  /** The deployment that made the id of a context; undefined: 0, or a client. */
  #makerOf(contextId = ''): Deployment | undefined {
    const number = deploymentOf(contextId);
    return number === 0 ? undefined : this.#byNumber.get(number);
  }

  #backendOf(deployment: Deployment): Backend {
    const backend = this.#backends.get(deployment);
    if (!backend) throw new Error(`Deployment ${deployment.number} has no backend`);
    return backend;
  }

  #current(principal: Principal, nowMs?: number): Deployment {
    const current = this.#currentOf(principal, nowMs);
    if (!current) throw noDeployment();
    return current;
  }

  #currentOf(principal: Principal, nowMs?: number): Deployment | undefined {
    const current = this.#placement.current(principal, nowMs);
    return current && this.#byNumber.get(current.number);
  }

  #earlier(principal: Principal, nowMs?: number): Earlier[] {
    return this.#placement.earlier(principal, nowMs).flatMap(({ deployment: { number }, sinceMs }) => {
      const deployment = this.#byNumber.get(number);
      return deployment ? [{ deployment, sinceMs }] : [];
    });
  }

  /** For a message that names no task. Where an earlier attempt, or its context, may be is asked first. */
  async #forMessage(call: Call, message: Message): Promise<Deployment> {
    const { scope, idempotencyKey } = call;
    const rerun = isActive(call, rerunUri) ? rerunIn(message) : undefined;
    if (rerun !== undefined) return this.holderOf(rerun, scope.principal);
    const current = this.#current(scope.principal);
    const sent = { message, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    const agents = this.#registry.ids;
    for (const { deployment, sinceMs } of this.#asked(scope.principal, current, message.contextId)) {
      const remembers = Date.now() < sinceMs + this.#idempotencyMs + LATE_MS;
      if (!remembers && message.contextId === undefined) continue;
      const { tasks } = deployment.require().requests;
      if (await tasks.goesOnWith(scope, sent, { agents, remembers })) return deployment;
    }
    if (!this.#registry.has(current.number, scope.agent))
      throw new A2AError('Unavailable', 'No worker that could take your task has announced this agent yet', {
        retryAfterSeconds: 5,
      });
    return current.require();
  }

  /** A context has one deployment: one of the current deployment is nowhere else. */
  #asked(principal: Principal, current: Deployment, contextId: string | undefined): Earlier[] {
    const earlier = this.#earlier(principal);
    const named = this.#makerOf(contextId);
    if (named === current) return [];
    if (!named || earlier.some(({ deployment }) => deployment === named)) return earlier;
    return [{ deployment: named, sinceMs: 0 }, ...earlier];
  }
}

/** Whether it takes writes, as health checks ask. */
function availabilityOf(deployment: Deployment): Promise<Availability> | 'unreachable' {
  return deployment.isAnswering ? deployment.store.availability() : 'unreachable';
}

function rerunIn({ metadata }: Message): string | undefined {
  const { taskId }: { readonly taskId?: unknown } = Object(metadata?.[rerunUri]);
  return typeof taskId === 'string' ? taskId : undefined;
}

function noDeployment(): A2AError {
  return new A2AError('Unavailable', 'No deployment takes your tasks now', { retryAfterSeconds: 5 });
}
