import { A2AError, eventNotAwaited, eventWithoutTurn, invalidParams, requireEventName } from '@switchyard/protocol';
import { DataCheck } from '@switchyard/protocol/schemas';
import type { EventCheck, Giving } from '@switchyard/store';
import { actions } from '../admission/scopes.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { bodyLimits, incoming, openHttpCall } from '../bindings/http-call.ts';
import { type Handler, pathPart, queryText, respond } from '../exchange/exchange.ts';
import { parseJson, readAnyBody, readJsonText } from '../exchange/read-json.ts';
import { taskNotFound } from '../operations/backend.ts';
import { forCallers } from './for-callers.ts';

/** Below the base of an agent. */
export const eventPath = '/tasks/:id/events/:name';
export const callbackPath = '/callbacks/:id/:token';

/** Larger results of steps are refused, too. */
const MAX_BYTES = 256 * 1_024;

/**
 * `POST …/tasks/<id>/events/<name>`: gives a task of the caller an event for which its turn waits, or will wait. Not part
 * of A2A. The body is the data, any JSON; `Idempotency-Key` its id. 200 with the event's state.
 */
export function serveEvent(context: GatewayContext): Handler {
  return forCallers(context, 'GiveEvent', async (admission, exchange) => {
    const { req, res } = exchange;
    const limits = bodyLimits(context, exchange, admission);
    const json = await readJsonText(req, { ...limits, maxBytes: Math.min(limits.maxBytes, MAX_BYTES) });
    const tenant = pathPart(req, 'tenant') ?? queryText(req, 'tenant');
    const { scope, agent, idempotencyKey: id } = openHttpCall(context, exchange, { admission, tenant });
    admission.requireAgent('GiveEvent', agent);
    const [taskId, name] = [pathPart(req, 'id') ?? '', eventName(pathPart(req, 'name') ?? '')];
    const data = parseJson(json);
    const event = { name, data: JSON.stringify(data), id };
    const giving = await context
      .partsOf(taskId, scope.principal)
      .waits.give(scope, taskId, event, { check: checkOf(data) });
    const error = errorOf(giving, { taskId, name });
    const audited = { what: actions.GiveEvent.audit, operation: 'GiveEvent', agent: scope.agent };
    admission.audit({ ...audited, object: taskId.slice(0, 128), outcome: error?.code ?? 'ok' });
    if (error) throw error;
    respond(res, 'application/json', JSON.stringify({ event: name, state: givenState(giving) }));
  });
}

/**
 * `POST /callbacks/<task>/<token>`: the same for everyone who knows the token, see `turn.callbackUrl`. The body is JSON or
 * text.
 */
export function serveCallback(context: GatewayContext): Handler {
  return async (req, res) => {
    const exchange = { req, res };
    const request = incoming(context, exchange);
    const token = pathPart(req, 'token') ?? '';
    context.gate.admitAnyone(request, token);
    const { settings } = context;
    const maxBytes = Math.min(settings.maxBodyBytes, MAX_BYTES);
    const body = await readAnyBody(req, { maxBytes, maxValues: settings.maxBodyValues });
    const taskId = pathPart(req, 'id') ?? '';
    const giving = await context.partsOf(taskId).waits.giveByCallback(taskId, {
      token,
      data: JSON.stringify(body),
      check: checkOf(body),
    });
    if (giving.verdict === 'missing') context.gate.countGuess(request);
    const error = errorOf(giving, { taskId, name: '' });
    if (error) throw isOver(giving) ? callbackIsOver() : error;
    respond(res, 'application/json', JSON.stringify({ state: givenState(giving) }));
  };
}

/** @throws {A2AError} InvalidParams */
export function eventName(name: string): string {
  requireEventName(name);
  return name;
}

/** Checks the data of an event by the schema for which the turn waits. */
export function checkOf(data: unknown): EventCheck {
  return (schema) => new DataCheck(schema).violations(data, 'data');
}

const states = { given: 'kept', resumed: 'taken', known: 'known-before' } as const;

/** `kept`: for a later wait. `taken`: the turn waited for it, and goes on. `known-before`: it was given before. */
export function givenState({ verdict }: Giving): string {
  return Object.hasOwn(states, verdict) ? states[verdict as keyof typeof states] : '';
}

const isOver = ({ verdict }: Giving): boolean =>
  verdict === 'missing' || verdict === 'idle' || verdict === 'canceling' || verdict === 'terminal';

function callbackIsOver(): A2AError {
  return new A2AError('NotFound', 'No agent waits for this callback, or not any more');
}

/** Why an event was not taken; undefined: it was. */
export function errorOf(
  giving: Giving,
  { taskId, name }: { readonly taskId: string; readonly name: string },
): A2AError | undefined {
  const metadata = { taskId };
  switch (giving.verdict) {
    case 'given':
    case 'resumed':
    case 'known':
      return undefined;
    case 'wrong':
      return invalidParams(giving.violations);
    case 'missing':
      return taskNotFound(taskId);
    case 'unknown':
      return eventNotAwaited(name, giving.awaited, taskId);
    case 'idle':
      return eventWithoutTurn('asks', taskId);
    case 'canceling':
      return new A2AError('UnsupportedOperation', 'The task is being canceled', { metadata });
    case 'terminal':
      return eventWithoutTurn('ended', taskId);
    case 'full':
      return new A2AError('Conflict', 'Too many events wait in this task, or they are too large together', {
        metadata,
      });
    case 'too-many-bytes-of-tenant':
      return new A2AError('RateLimited', 'Your tenant has reached its limit of stored bytes', {
        retryAfterSeconds: 60,
        metadata: { limit: 'bytes-of-tenant' },
      });
  }
}
