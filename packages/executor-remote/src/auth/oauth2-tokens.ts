import type { Turn } from '@switchyard/agent';
import type { OAuth2Settings } from './auth-settings.ts';
import type { FetchedToken } from './token-request.ts';
import type { TokenSource } from './token-source.ts';

/** A token is fetched anew this long before its end, or when a tenth of its time is left, if that is less. */
const earlyMs = 60_000;
/** For how long a token is used that does not say when it ends. */
const unknownMs = 3_600_000;
/** After a failure, for so long every turn gets the same error: the endpoint is not asked once for each of them. */
const failedMs = 1_000;
/** Most callers whose exchanged tokens are kept. */
const maxKept = 1_000;

/** A token of one subject. Undefined as the subject: this client itself. */
interface Kept {
  readonly subject: string | undefined;
  readonly fetched: Promise<FetchedToken>;
  token: string | undefined;
  useUntil: number;
}

/** Fetches a token of a subject. */
type Fetch = (subject: string | undefined) => Promise<FetchedToken>;

/** Tokens of OAuth 2: one request for all turns that need the same token at the same time. */
export class OAuth2Tokens implements TokenSource {
  readonly #settings: Pick<OAuth2Settings, 'subjectToken'>;
  readonly #fetch: Fetch;
  /** By subject, the least recently fetched first. */
  readonly #kept = new Map<string | undefined, Kept>();
  /** Subjects of tokens that were replaced: several turns may have used the same one. */
  readonly #subjects = new Map<string, string | undefined>();

  constructor(settings: Pick<OAuth2Settings, 'subjectToken'>, fetch: Fetch) {
    this.#settings = settings;
    this.#fetch = fetch;
  }

  async token(turn: Turn | undefined): Promise<string | undefined> {
    const { subjectToken } = this.#settings;
    if (subjectToken && !turn) return undefined;
    const subject = turn && (await subjectToken?.(turn));
    return this.#tokenOf(subject);
  }

  async replacementOf(refused: string): Promise<string | undefined> {
    const current = [...this.#kept.values()].find(({ token }) => token === refused);
    if (current) this.#forget(current);
    else if (!this.#subjects.has(refused)) return undefined;
    const token = await this.#tokenOf(this.#subjects.get(refused));
    return token === refused ? undefined : token;
  }

  async #tokenOf(subject: string | undefined): Promise<string> {
    const known = this.#kept.get(subject);
    const kept = known && performance.now() < known.useUntil ? known : this.#keep(subject);
    return (await kept.fetched).token;
  }

  #keep(subject: string | undefined): Kept {
    const kept: Kept = { subject, fetched: this.#fetch(subject), token: undefined, useUntil: Infinity };
    this.#kept.delete(subject);
    bound(this.#kept);
    this.#kept.set(subject, kept);
    kept.fetched.then(
      ({ token, expiresInMs = unknownMs }) => {
        kept.token = token;
        kept.useUntil = performance.now() + expiresInMs - Math.min(earlyMs, expiresInMs / 10);
      },
      () => {
        kept.useUntil = performance.now() + failedMs;
      },
    );
    return kept;
  }

  #forget({ subject, token }: Kept): void {
    this.#kept.delete(subject);
    bound(this.#subjects);
    if (token !== undefined) this.#subjects.set(token, subject);
  }
}

/** Removes the oldest entry of a full map. */
function bound(map: Map<string | undefined, unknown> | Map<string, unknown>): void {
  if (map.size < maxKept) return;
  for (const oldest of map.keys()) {
    (map as Map<unknown, unknown>).delete(oldest);
    return;
  }
}
