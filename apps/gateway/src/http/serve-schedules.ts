import { A2AError, invalidParams } from '@switchyard/protocol';
import { parse } from '@switchyard/protocol/schemas';
import type { ScheduleChange, ScheduleReading } from '@switchyard/schedules';
import { InvalidPageToken } from '@switchyard/store';
import { z } from 'zod';
import type { Admission } from '../admission/admission.ts';
import { type Action, actions } from '../admission/scopes.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { type Exchange, type Handler, pathPart, type Route, respond } from '../exchange/exchange.ts';
import { forCallers } from './for-callers.ts';

const querySchema = z.strictObject({
  agent: z.string().max(128).optional(),
  pageSize: z.coerce.number().int().min(1).max(100).default(50),
  pageToken: z.string().max(4_096).optional(),
});

const changes = { pause: 'PauseSchedule', resume: 'ResumeSchedule', end: 'EndSchedule' } as const;

/** The caller's schedules (docs/extensions/schedule.md). Not part of A2A. */
export function scheduleRoutes(context: GatewayContext): Route[] {
  const names = Object.keys(changes) as (keyof typeof changes)[];
  return [
    { verb: 'GET', path: '/schedules', handle: serveScheduleList(context) },
    { verb: 'GET', path: '/schedules/:scheduleId', handle: serveSchedule(context) },
    ...names.map(
      (change) =>
        ({
          verb: 'POST',
          path: `/schedules/:scheduleId(^.+)::${change}`,
          handle: serveScheduleChange(context, change),
        }) as const,
    ),
  ];
}

type Answer = (admission: Admission, exchange: Exchange) => Promise<object>;

function answered(context: GatewayContext, action: Action, answer: Answer): Handler {
  return forCallers(context, action, async (admission, exchange) => {
    const json = JSON.stringify(await answer(admission, exchange));
    exchange.res.setHeader('Cache-Control', 'no-store');
    respond(exchange.res, 'application/json', json);
  });
}

function serveScheduleList(context: GatewayContext): Handler {
  return answered(context, 'ReadSchedules', async (admission, { req }) => {
    const { agent, ...page } = parse(querySchema, req.query);
    const { principal, identity } = admission;
    const filter = { principal, agent, agents: identity.agents };
    const { items, totalSize, nextPageToken } = await pageIn(() => {
      const [{ schedules }, ...earlier] = context.allPartsOf(principal);
      return schedules.list(
        filter,
        page,
        earlier.map((parts) => parts.schedules),
      );
    });
    admission.audit({ what: 'read', outcome: 'ok', operation: 'ReadSchedules' });
    return { schedules: items.map(shown), totalSize, nextPageToken };
  });
}

function serveSchedule(context: GatewayContext): Handler {
  return answered(context, 'ReadSchedules', async (admission, { req }) => {
    const id = pathPart(req, 'scheduleId') ?? '';
    const reading = await readable(context, admission, id);
    if (reading) admission.requireAgent('ReadSchedules', context.agents.find(reading.agent));
    const outcome = reading ? 'ok' : 'NotFound';
    admission.audit({ what: 'read', outcome, operation: 'ReadSchedules', object: id.slice(0, 128) });
    if (!reading) throw scheduleNotFound(id);
    return shown(reading);
  });
}

/** Answers with the schedule as it is afterwards; `end` with the schedule as it was. */
function serveScheduleChange(context: GatewayContext, change: ScheduleChange): Handler {
  const action = changes[change];
  return answered(context, action, async (admission, { req }) => {
    const id = pathPart(req, 'scheduleId') ?? '';
    const before = await readable(context, admission, id);
    if (before) admission.requireAgent(action, context.agents.find(before.agent));
    const verdict = before
      ? await context.partsOf(id, admission.principal).schedules.change(id, change, admission.principal)
      : 'gone';
    const outcome = { done: 'ok', gone: 'NotFound', over: 'UnsupportedOperation' }[verdict];
    const audited = { what: actions[action].audit, operation: action, object: id.slice(0, 128) };
    admission.audit({ ...audited, outcome, ...(before && { agent: before.agent }) });
    if (!before || verdict === 'gone') throw scheduleNotFound(id);
    if (verdict === 'over') throw scheduleIsOver(id);
    return shown((change !== 'end' && (await readable(context, admission, id))) || before);
  });
}

async function readable(
  context: GatewayContext,
  admission: Admission,
  id: string,
): Promise<ScheduleReading | undefined> {
  const reading = await context.partsOf(id, admission.principal).schedules.read(id, admission.principal);
  return reading && admission.canUse(reading.agent) ? reading : undefined;
}

/** @throws {A2AError} InvalidParams, for a wrong page token */
async function pageIn<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InvalidPageToken)) throw error;
    throw invalidParams([{ field: 'pageToken', description: 'is not a page token of this list' }]);
  }
}

/** A client knows who it is. */
function shown({ tenant: _, subject: __, ...schedule }: ScheduleReading): object {
  return schedule;
}

/** Does not reveal whether another caller has it. */
export function scheduleNotFound(scheduleId: string): A2AError {
  const message = 'No schedule goes on that has a task with this id: it has ended, or it is not accessible';
  return new A2AError('NotFound', message, { metadata: { scheduleId: scheduleId.slice(0, 64) } });
}

export function scheduleIsOver(scheduleId: string): A2AError {
  const message = 'The schedule has no time left, because its last one has passed while it was paused: end it';
  return new A2AError('UnsupportedOperation', message, { metadata: { scheduleId } });
}
