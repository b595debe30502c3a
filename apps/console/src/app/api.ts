import { type Call, type ConnectionListeners, OperatorError } from '@switchyard/operator-api';
import { z } from 'zod';
import { session, signOut } from './session.ts';

/** Calls the gateway. @throws {OperatorError}, TypeError if it does not answer */
export async function call<Schema extends z.ZodType>(path: string, schema: Schema, how?: Call) {
  return unlessSignedOut(() => session().client.call(path, schema, how));
}

/** A path's answers until the signal aborts. */
export async function* watch<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  how: Call & ConnectionListeners,
): AsyncGenerator<z.output<Schema>> {
  const events = session().client.watch(path, schema, how);
  for (;;) {
    const next = await unlessSignedOut(() => events.next());
    if (next.done) return;
    yield next.value;
  }
}

/** The progress of an action. */
export function progress<Schema extends z.ZodType>(path: string, schema: Schema, how?: Call) {
  return session().client.events(path, schema, how);
}

/** The content at a path. */
export function file(path: string): Promise<Blob> {
  return unlessSignedOut(() => session().client.file(path));
}

/** A revoked key ends the session. */
async function unlessSignedOut<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OperatorError && error.status === 401) signOut('This key is no longer known here.');
    throw error;
  }
}

/** The error's text for people. */
export function problemText(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (error instanceof TypeError) return 'The gateway does not answer.';
  if (error instanceof z.ZodError) return 'The gateway is of another version than this page: reload it.';
  return error instanceof Error ? error.message : String(error);
}
