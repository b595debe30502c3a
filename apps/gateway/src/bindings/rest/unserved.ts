import { A2AError } from '@switchyard/protocol';
import type { ErrorRequestHandler } from 'express';
import type { Handler } from '../../exchange/exchange.ts';
import type { Refusal } from '../../exchange/report-failure.ts';
import { writeError, writeWrongVerb } from './write.ts';

/** For a path that is served, but not for this verb. @param allow the verbs that it is served for: `GET, POST` */
export function refuseVerb(context: Refusal, allow: string): Handler {
  return (req, res) => {
    const error = new A2AError('MethodNotFound', `${req.method} is not served here; ${allow} is`);
    writeWrongVerb(context, { req, res }, { error, allow });
  };
}

/** For a path that nothing is served at. */
export function refusePath(context: Refusal): Handler {
  return (req, res) => {
    writeError(context, { req, res }, new A2AError('NotFound', 'Nothing is served at this path'));
  };
}

/** For what Express itself refuses, such as a path that cannot be decoded: it would answer with HTML. */
export function refuseFault(context: Refusal): ErrorRequestHandler {
  return (fault: unknown, req, res, _next) => {
    const error = isClientFault(fault)
      ? new A2AError('InvalidRequest', 'The request could not be read', { cause: fault })
      : fault;
    writeError(context, { req, res }, error);
  };
}

function isClientFault(fault: unknown): boolean {
  const status = fault instanceof Error && 'status' in fault ? Number(fault.status) : 500;
  return status >= 400 && status < 500;
}
