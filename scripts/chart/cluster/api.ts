/** An object of the API server, as far as everything has it. */
export interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** The API server that a try has started. */
export class ApiServer {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async get<T>(path: string): Promise<T> {
    return JSON.parse(await this.#ask('GET', path));
  }

  async list<T extends Stored>(path: string): Promise<readonly T[]> {
    const { items } = await this.get<{ readonly items: readonly T[] }>(path);
    return items;
  }

  async create(path: string, object: object): Promise<void> {
    await this.#ask('POST', path, object);
  }

  async patch(path: string, object: object): Promise<void> {
    await this.#ask('PATCH', path, object);
  }

  /** @param path may name what is gone already @param options `gracePeriodSeconds: 0`: at once */
  async remove(path: string, options: object = {}): Promise<void> {
    await this.#ask('DELETE', path, options, [404]);
  }

  async isReady(): Promise<boolean> {
    return this.#ask('GET', '/readyz').then(
      () => true,
      () => false,
    );
  }

  async #ask(method: string, path: string, body?: object, also: readonly number[] = []): Promise<string> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': type },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok || also.includes(response.status)) return text;
    throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  }
}
