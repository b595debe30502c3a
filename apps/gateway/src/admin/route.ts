import type { Ops } from '@switchyard/store';
import type { Request } from 'express';
import type { z } from 'zod';
import { noParameters, readParameters } from './parameters.ts';

/** A request of an operator. */
export interface AdminRoute {
  readonly verb: 'get' | 'post' | 'delete';
  /** Express path: `\\:` is a colon, `:id` a parameter. */
  readonly path: string;
  /** @returns what is answered as JSON; undefined: nothing is (204). @throws {A2AError} */
  readonly run: (ops: Ops, req: Request) => Promise<object | undefined>;
}

export interface Asked<Parameters> {
  /** `:id` of the path, '' if it has none. */
  readonly id: string;
  readonly parameters: Parameters;
}

export function adminRoute<Schema extends z.ZodType>(
  [verb, path]: readonly [verb: AdminRoute['verb'], path: string],
  schema: Schema,
  run: (ops: Ops, asked: Asked<z.output<Schema>>) => Promise<object | undefined>,
): AdminRoute {
  return { verb, path, run: async (ops, req) => run(ops, { id: idIn(req), parameters: readParameters(req, schema) }) };
}

/** An action on something, which takes no parameters. */
export function adminAction(
  place: readonly [verb: AdminRoute['verb'], path: string],
  run: (ops: Ops, id: string) => Promise<object | undefined>,
): AdminRoute {
  return adminRoute(place, noParameters, (ops, { id }) => run(ops, id));
}

function idIn(req: Request): string {
  const { id } = req.params;
  return typeof id === 'string' ? id : '';
}
