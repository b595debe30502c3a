import type { RequestOptions } from '@a2a-js/sdk/client';
import { callFailure } from '../failures/call-failure.ts';
import type { TokenSource } from './token-source.ts';

interface Connection {
  readonly call: RequestOptions;
  readonly login: TokenSource | undefined;
}

/** HTTP's 401, and UNAUTHENTICATED of gRPC: the agent did nothing. */
const unauthenticated: readonly unknown[] = [401, 16];

/** A call with the token of a login, and once more with a new token if the agent refuses this one. */
export async function retriedWithToken<T>(login: TokenSource, ask: (token: string) => Promise<T>): Promise<T> {
  const token = await login.current();
  try {
    return await ask(token);
  } catch (error) {
    const next = await replacement(login, token, error);
    if (next === undefined) throw error;
    return ask(next);
  }
}

/** The same for a connection, which may have no login. */
export async function withToken<C extends Connection, T>(connection: C, ask: (to: C) => Promise<T>): Promise<T> {
  const { login } = connection;
  return login ? retriedWithToken(login, (token) => ask(authorized(connection, token))) : ask(connection);
}

/** The same for a stream, which an agent refuses before its first event. */
export async function* followWithToken<C extends Connection, T>(
  connection: C,
  follow: (to: C) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const { login } = connection;
  if (!login) return yield* follow(connection);
  const token = await login.current();
  let next: string | undefined;
  try {
    yield* follow(authorized(connection, token));
  } catch (error) {
    next = await replacement(login, token, error);
    if (next === undefined) throw error;
  }
  if (next !== undefined) yield* follow(authorized(connection, next));
}

async function replacement(login: TokenSource, refused: string, error: unknown): Promise<string | undefined> {
  return unauthenticated.includes(callFailure(error).a2aCode) ? login.replacementOf(refused) : undefined;
}

function authorized<C extends Connection>(connection: C, token: string): C {
  const { serviceParameters, ...call } = connection.call;
  const authorization = `Bearer ${token}`;
  return { ...connection, call: { ...call, serviceParameters: { ...serviceParameters, authorization } } };
}
