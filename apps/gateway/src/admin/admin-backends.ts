import { A2AError, invalidParams } from '@switchyard/protocol';
import { deploymentOf } from '@switchyard/store';
import type { Request } from 'express';
import type { Deployment } from '../deployments/deployment.ts';
import { DeploymentBackend, type SharedByBackends } from './deployment-backend.ts';
import { type AdminBackend, type ChosenBackend, partOfPath } from './route.ts';

/** Lists whose ids have the number of their deployment. */
const withNumber = /^\/admin\/(?:tasks|dead-letters|conversations|schedules)\/:id/;
/** Requests about a tenant in all deployments. */
const withTenant = /^\/admin\/tenants\/:id(?:\/export)?$/;
/** A dead webhook has the id of its task, and more. */
const UUID_LENGTH = 36;

/** The deployments of a gateway, for operators: finds that of each request (docs/adr/0168). */
export class AdminBackends {
  readonly #all: readonly DeploymentBackend[];
  readonly #own: DeploymentBackend;

  /** @param own of requests that name none */
  constructor(own: Deployment, all: readonly Deployment[], shared: SharedByBackends) {
    const backends = all.map((each) => new DeploymentBackend(each, shared));
    this.#all = backends.sort((a, b) => a.number - b.number);
    this.#own = this.#of(own.number);
  }

  start(): void {
    for (const each of this.#all) each.series.start();
  }

  stop(): void {
    for (const each of this.#all) each.series.stop();
  }

  /**
   * That of the id of the request, which says where it lives; otherwise that of the parameter `deployment`.
   * @param path of the route. @throws {A2AError} NotFound, InvalidParams
   */
  chosenBy(req: Request, path: string): ChosenBackend {
    const id = path === '/admin/tasks' ? req.query.id : withNumber.test(path) ? partOfPath(req, 'id') : undefined;
    if (typeof id === 'string' && isUuid(id)) return only(this.#holderOf(id.slice(0, UUID_LENGTH)));
    const { deployment } = req.query;
    if (deployment === undefined && withTenant.test(path) && this.#all.length > 1)
      return { backend: this.#own, reached: this.#all, deployment: undefined };
    if (deployment === undefined) return only(this.#own);
    return only(this.#of(typeof deployment === 'string' && /^\d{1,3}$/.test(deployment) ? Number(deployment) : -1));
  }

  #holderOf(id: string): DeploymentBackend {
    const number = deploymentOf(id);
    const holder = this.#all.find((each) => each.number === number);
    if (holder) return holder;
    throw new A2AError('NotFound', `The id is of deployment ${number}, and this gateway has ${this.#numbers}`, {
      metadata: { deployment: String(number) },
    });
  }

  #of(number: number): DeploymentBackend {
    const backend = this.#all.find((each) => each.number === number);
    if (backend) return backend;
    throw invalidParams([{ field: 'deployment', description: `must be one of this gateway: ${this.#numbers}` }]);
  }

  get #numbers(): string {
    return this.#all.map((each) => each.number).join(', ');
  }
}

function only(backend: AdminBackend): ChosenBackend {
  return { backend, reached: [backend], deployment: backend.deployment };
}

function isUuid(id: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.|$)/.test(id);
}
