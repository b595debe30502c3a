import type { ApiKeyParts, Credential, Credentials } from '@switchyard/access';
import { A2AError } from '@switchyard/protocol';
import type { Deployment } from './deployment.ts';
import { subscribeToEach } from './subscribe-to-each.ts';

type Asked = Pick<Credentials, 'verify' | 'find'>;

/** The stored API keys of several deployments: a key is in one of them. */
export class UnitedCredentials implements Asked, Pick<Credentials, 'onChange'> {
  readonly #deployments: readonly Deployment[];

  constructor(deployments: readonly Deployment[]) {
    this.#deployments = deployments;
  }

  verify(key: ApiKeyParts): Promise<Credential | undefined> {
    return this.#first((credentials) => credentials.verify(key));
  }

  find(id: string): Promise<Credential | undefined> {
    return this.#first((credentials) => credentials.find(id));
  }

  async onChange(listener: (id: string | undefined) => void): Promise<() => void> {
    const subscribe = ({ requests }: Deployment): Promise<() => void> => requests.credentials.onChange(listener);
    return subscribeToEach(this.#deployments, subscribe, () => listener(undefined));
  }

  /**
   * The first answer with a key; a deployment that does not answer delays no other's.
   * @throws {A2AError} Unavailable: none has the key, and some do not answer
   */
  async #first(ask: (credentials: Asked) => Promise<Credential | undefined>): Promise<Credential | undefined> {
    const missing = new Error('The key is not here');
    const answers = this.#deployments.map(async (deployment) => {
      const found = await ask(deployment.require().requests.credentials);
      if (!found) throw missing;
      return found;
    });
    try {
      return await Promise.any(answers);
    } catch (error) {
      const reasons: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
      const outage = reasons.find((reason) => reason !== missing);
      if (outage === undefined) return undefined;
      throw new A2AError('Unavailable', 'The task store is unavailable', { retryAfterSeconds: 1, cause: outage });
    }
  }
}
