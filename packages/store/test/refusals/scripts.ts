import { randomUUID } from 'node:crypto';
import { Conversations } from '@switchyard/conversations';
import { Ops } from '@switchyard/operators';
import { confirmedKeyOf, countConfirmedScript, mastersOf } from '@switchyard/redis';
import { ownerOf } from '../../src/deployment/scope.ts';
import type { StoreSettings } from '../../src/index.ts';
import { findJobs, parkJobs } from '../../src/places/places.ts';
import { renewScript } from '../../src/queue/lease.ts';
import { interruptScript } from '../../src/queue/wake-ups.ts';
import { copySteps } from '../../src/tasks/accept/copy-steps.ts';
import { accepted, beginTurn, begun, spent, userMessage } from '../support/drive.ts';
import { nowhere } from '../support/key-scenarios.ts';
import { alice } from '../support/redis.ts';
import { longAgo, recoverNow } from '../support/runs.ts';
import { outcome, type Stage } from './stage.ts';

/**
 * A case in which a script runs.
 *
 * - `reads`: the script writes nothing.
 * - `begins`: the script creates data; it is refused while Redis is out of memory.
 * - `ends`: the script ends something or gives it back; it works while Redis is out of memory, because it frees memory.
 */
export interface ScriptRun {
  readonly kind: 'reads' | 'begins' | 'ends';
  /** The case, if a script has several. */
  readonly of?: string;
  readonly settings?: Partial<StoreSettings>;
  /** Prepares the store. @returns a function that runs the script, and no other script that writes */
  readonly prepare: (stage: Stage) => Promise<() => Promise<unknown>>;
  /** The result of that function. */
  readonly answer: unknown;
}

const modes = { defaultInputModes: [], defaultOutputModes: [], supportedInterfaces: [], capabilities: {} };
const card = { name: 'Echo', description: 'Echoes.', version: '1', skills: [], ...modes };
const announcement = { id: 'echo', card, repliesWithMessage: false, concurrency: 1 };
const report = { agents: ['echo'], upForMs: 1, isDraining: false, turns: [] };
const entry = { seq: 1, event: { phase: 'turn' }, nextTurn: 1 } as const;
const pacedRequest = { name: 'gpt', id: 'request', tenant: 'acme', tokens: 60, limits: { tokensPerMinute: 600 } };
/** Everything is due at once. */
const dueAtOnce = { sweepAfterMs: 0, reclaimAfterMs: 0, maxAttempts: 1 };

/** The cases of every script, by its path in packages/store/src, or as `operators/…`. */
export const scriptRuns: Readonly<Record<string, readonly ScriptRun[]>> = {
  'tasks/accept/add-message.lua': [
    {
      kind: 'begins',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        const message = userMessage('more', { taskId });
        return async () => (await store.tasks.accept(alice, { message })).verdict;
      },
      answer: 'accepted',
    },
  ],
  'operators/read-step-results.lua': [
    {
      kind: 'reads',
      prepare: async (stage) => {
        const taskId = await stage.taskWithStep('pay');
        return async () => {
          const options = { hasTimeline: true, hasContents: true };
          const detail = await stage.store.ops.tasks.detail(taskId, options);
          return detail?.timeline?.entries.flatMap((entry) => (entry.kind === 'step' ? [entry.result] : []));
        };
      },
      answer: [{ text: '1', bytes: 1 }],
    },
  ],
  'turns/record-usage.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return async () => {
          await turn.recordUsage({ model: 'small', calls: 1 });
          return 'recorded';
        };
      },
      answer: 'recorded',
    },
  ],
  'turns/check-budget.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return () =>
          turn.spentBudget({ agent: { microUsd: 5, tokens: 0 }, client: { microUsd: 3, tokens: 0 }, asks: true });
      },
      answer: undefined,
    },
  ],
  'turns/continue-work.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return () => turn.continueWork(true);
      },
      answer: undefined,
    },
  ],
  'tasks/quotas/read-budgets.lua': [
    {
      kind: 'reads',
      settings: { budgetOfTenantPerDay: 5 },
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        const turn = await begun(store, taskId);
        await turn.recordUsage({ model: 'small', calls: 1, microUsd: 7 });
        return async () => (await store.tasks.spentBudget(alice, { message: userMessage() }))?.spentMicroUsd;
      },
      answer: 7,
    },
  ],
  'pace/ask-for-room.lua': [
    {
      kind: 'ends',
      prepare:
        async ({ pace }) =>
        async () =>
          (await pace.ask(pacedRequest)).verdict,
      answer: 'go',
    },
  ],
  'pace/correct-pace.lua': [
    {
      kind: 'ends',
      prepare: async ({ pace }) => {
        await pace.ask(pacedRequest);
        return async () => {
          await pace.correct(pacedRequest, { id: pacedRequest.id, tokens: 60, pausedMs: 60_000 });
          return (await pace.ask({ ...pacedRequest, id: 'next' })).verdict;
        };
      },
      answer: 'wait',
    },
  ],
  'turns/share-run.lua': [
    {
      kind: 'begins',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        const job = store.turns.jobOf({ queue: 'echo', taskId, job: 1, started: 1, token: 'p:echo/0:alone:1' });
        return () => job.share();
      },
      answer: undefined,
    },
  ],
  'turns/record-failure.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return () => turn.recordFailure({ kind: 'threw', message: 'no dough' });
      },
      answer: true,
    },
  ],
  'queue/load.lua': [
    {
      kind: 'reads',
      prepare: async ({ store, loads, queueRoot }) => {
        await accepted(store, alice);
        return async () => {
          const { waiting, active, began } = await loads.sample(queueRoot);
          return { waiting, active, began };
        };
      },
      answer: { waiting: 1, active: 0, began: 0 },
    },
  ],
  'access/write-audit.lua': [
    {
      kind: 'begins',
      prepare:
        async ({ store }) =>
        async () => {
          await store.audit.write([{ at: new Date().toISOString(), what: 'admin', outcome: 'ok' }]);
          return (await store.ops.listAudit({ pageSize: 9 })).items.length;
        },
      answer: 1,
    },
  ],
  'tasks/visibility/set-visibility.lua': [
    {
      kind: 'ends',
      of: 'reveal a hidden task',
      prepare: async ({ store }) => {
        const acceptance = await store.tasks.accept(alice, { message: userMessage(), isHidden: true });
        if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
        return async () => {
          await store.tasks.reveal(alice, acceptance.taskId);
          return (await store.tasks.read(alice, acceptance.taskId))?.isHidden;
        };
      },
      answer: false,
    },
    {
      kind: 'ends',
      of: 'withdraw a task',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        const turn = await begun(store, taskId);
        await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, isPlainMessage: true });
        return async () => {
          await store.tasks.withdraw(alice, taskId);
          return (await store.tasks.read(alice, taskId))?.isWithdrawn;
        };
      },
      answer: true,
    },
  ],
  'tasks/accept/make-tasks.lua': [
    {
      kind: 'begins',
      prepare: async ({ store }) => {
        const message = userMessage();
        return async () => (await store.tasks.accept(alice, { message })).verdict;
      },
      answer: 'accepted',
    },
    {
      kind: 'begins',
      of: 'several messages',
      prepare: async ({ store }) => {
        const messages = [userMessage(), userMessage(), userMessage()];
        return async () => {
          const all = await Promise.all(messages.map((message) => store.tasks.accept(alice, { message })));
          return all.map(({ verdict }) => verdict);
        };
      },
      answer: ['accepted', 'accepted', 'accepted'],
    },
    {
      kind: 'begins',
      of: 'a call',
      prepare: async (stage) => {
        const turn = await stage.turn();
        const message = userMessage('cook', { contextId: 'context' });
        const call = { agent: 'kitchen', submission: { message }, isDetached: false };
        return async () => (await stage.store.calls.place(turn, call)).verdict;
      },
      answer: 'accepted',
    },
  ],
  'tasks/cancel/cancel.lua': [
    {
      kind: 'ends',
      of: 'a waiting task',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        return () => store.tasks.cancel(alice, taskId);
      },
      answer: 'canceled',
    },
    {
      kind: 'ends',
      of: 'a running task',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return () => stage.store.tasks.cancel(alice, turn.start.taskId);
      },
      answer: 'requested',
    },
  ],
  'schedules/begin-scheduled.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const taskId = await stage.scheduledTask();
        return () => stage.beginScheduled(taskId);
      },
      answer: 'begun',
    },
  ],
  'schedules/change-schedule.lua': [
    ...(['pause', 'end'] as const).map((change) => ({
      kind: 'ends' as const,
      of: change,
      prepare: async (stage: Stage) => {
        const taskId = await stage.scheduledTask();
        return () => stage.store.scheduleList.change(taskId, change);
      },
      answer: 'done',
    })),
    {
      kind: 'begins',
      of: 'resume',
      prepare: async (stage) => {
        const taskId = await stage.scheduledTask();
        await stage.store.scheduleList.change(taskId, 'pause');
        return () => stage.store.scheduleList.change(taskId, 'resume');
      },
      answer: 'done',
    },
  ],
  'upkeep/end-interrupted.lua': [
    {
      kind: 'ends',
      settings: { interruptedRetentionMs: -1_000 },
      prepare: async (stage) => {
        const turn = await stage.turn();
        await turn.publish(outcome('AUTH_REQUIRED'));
        await turn.end();
        return () => stage.store.interrupted.endOverdue();
      },
      answer: 1,
    },
  ],
  'tasks/delete/delete.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const taskId = await stage.endedTask();
        return () => stage.store.tasks.delete(alice, taskId);
      },
      answer: 'deleted',
    },
  ],
  'tasks/read/read.lua': [
    {
      kind: 'reads',
      prepare: async (stage) => {
        const taskId = await stage.endedTask();
        return async () => (await stage.store.tasks.read(alice, taskId))?.state;
      },
      answer: 'TASK_STATE_COMPLETED',
    },
  ],
  'tasks/list/list.lua': [
    {
      kind: 'reads',
      prepare: async (stage) => {
        await stage.endedTask();
        return async () => (await stage.store.tasks.list(alice, { pageSize: 1 })).totalSize;
      },
      answer: 1,
    },
  ],
  'turns/read-waiting.lua': [
    {
      kind: 'reads',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return async () => turn.waiting(0);
      },
      answer: [],
    },
  ],
  'turns/begin-turn.lua': [
    {
      kind: 'begins',
      of: 'a turn',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        return async () => (await begun(store, taskId)).start.attempt;
      },
      answer: 1,
    },
    {
      kind: 'ends',
      of: 'a task with a requested cancel',
      prepare: async (stage) => {
        const { taskId } = (await stage.turn()).start;
        await stage.store.tasks.cancel(alice, taskId);
        return () => beginAgain(stage, taskId);
      },
      answer: 'canceled',
    },
    {
      kind: 'ends',
      of: 'a task whose attempts are spent',
      settings: dueAtOnce,
      prepare: async (stage) => {
        const { taskId } = (await stage.turn()).start;
        return () => beginAgain(stage, taskId);
      },
      answer: 'exhausted',
    },
  ],
  'turns/take-turns.lua': [
    {
      kind: 'ends',
      of: 'a job',
      prepare: async (stage) => {
        const { taskId } = await accepted(stage.store, alice);
        return async () => (await stage.takeJobs('token:'))[0] === `${taskId}.1`;
      },
      answer: true,
    },
  ],
  'turns/append.lua': [
    {
      kind: 'begins',
      of: 'an artifact',
      prepare: async (stage) => {
        const turn = await stage.turn();
        const artifact = { artifactId: 'a', parts: [{ text: 'x' }] };
        return async () => {
          await turn.publish({ kind: 'artifact', artifact, append: false, lastChunk: true });
          return turn.written();
        };
      },
      answer: undefined,
    },
    {
      kind: 'begins',
      of: 'a status that does not settle the turn',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return () => turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false });
      },
      answer: undefined,
    },
    {
      kind: 'ends',
      of: 'an outcome with metadata',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return async () => {
          await turn.publish({ ...outcome('COMPLETED'), metadata: { a: 1 } });
          return turn.ending;
        };
      },
      answer: 'idle',
    },
  ],
  'turns/end-tasks.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return async () => {
          await turn.publish(outcome('COMPLETED'));
          return turn.ending;
        };
      },
      answer: 'idle',
    },
  ],
  'turns/append-chunks.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const turn = await stage.turn();
        const artifact = { artifactId: 'a', parts: [{ text: 'x' }] };
        await turn.publish({ kind: 'artifact', artifact, append: false, lastChunk: false });
        await turn.written();
        return async () => {
          await turn.publish({ kind: 'artifact', artifact, append: true, lastChunk: true });
          return turn.written();
        };
      },
      answer: undefined,
    },
  ],
  'turns/end-turn.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const turn = await stage.turn();
        await turn.publish(outcome('AUTH_REQUIRED'));
        return () => turn.end();
      },
      answer: 'idle',
    },
  ],
  'turns/hand-back-turn.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return () => turn.handBack(false);
      },
      answer: 'given-back',
    },
  ],
  'turns/give-up-turn.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return async () => {
          await turn.publish(spent('The oven is cold.'));
          return turn.ending;
        };
      },
      answer: 'given-up',
    },
  ],
  'queue/add.lua': [
    {
      kind: 'begins',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        return async () => {
          await store.queue.add(ownerOf(alice), { taskId, job: 2 });
          return store.queue.waiting('echo');
        };
      },
      answer: 2,
    },
  ],
  'operators/read-shares.lua': [
    {
      kind: 'reads',
      prepare: async ({ store }) => {
        await accepted(store, alice);
        return async () => (await store.ops.agentQueues.shares('echo')).count;
      },
      answer: 1,
    },
  ],
  'places/find-jobs.lua': [
    {
      kind: 'ends',
      prepare: async ({ store, queue }) => {
        await accepted(store, alice);
        await accepted(store, alice);
        const request = { taker: 'taker', number: 1, count: 1, kinds: 'any' } as const;
        const [first] = (await findJobs(queue, request)).jobs;
        await parkJobs(queue, first ? [{ job: first, by: 'tenant' }] : []);
        // The second job is parked behind the first.
        return async () => {
          const { jobs, waiting } = await findJobs(queue, request);
          return [jobs.length === 1 && jobs[0]?.id === first?.id, waiting];
        };
      },
      answer: [true, 0],
    },
  ],
  'places/park-jobs.lua': [
    {
      kind: 'ends',
      prepare: async ({ store, queue }) => {
        const { taskId } = await accepted(store, alice);
        const job = { id: `${taskId}.1`, tenant: 'acme', key: 'red' };
        return async () => {
          await parkJobs(queue, [{ job, by: 'key' }]);
          return store.queue.waiting('echo');
        };
      },
      answer: 1,
    },
  ],
  'places/take-places.lua': [
    {
      kind: 'ends',
      prepare: async ({ store }) => {
        const places = store.turns.places('echo', { running: 1, startsPerMinute: 1 });
        const jobs = ['one', 'two'].map((id) => ({ id, tenant: 'acme', key: 'red' }));
        return async () => {
          const request = { taker: 'taker:echo', number: 1, count: 2, kinds: 'any' } as const;
          const taken = await places.take(request, jobs);
          return taken.places.map(({ place }) => place.token);
        };
      },
      answer: ['taker:echo:1:place'],
    },
  ],
  'places/free-place.lua': [
    {
      kind: 'ends',
      prepare: async ({ store, port: { redis, shards } }) => {
        const places = store.turns.places('echo', { running: 1, startsPerMinute: 1 });
        const request = { taker: 'taker:echo', number: 1, count: 1, kinds: 'any' } as const;
        const [taken] = (await places.take(request, [{ id: 'one', tenant: 'acme' }])).places;
        return async () => {
          await taken?.place.giveBack();
          return Number(await redis.hget(shards.of('echo').runningByQueue, places.root));
        };
      },
      answer: 0,
    },
  ],
  'queue/take.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const { taskId } = await accepted(stage.store, alice);
        const request = { taker: 'taker', number: 1, count: 1, kinds: 'any' } as const;
        return async () => (await stage.queue.take(request)).jobs.map(({ id }) => id === `${taskId}.1`);
      },
      answer: [true],
    },
  ],
  'queue/end-run.lua': [
    {
      kind: 'ends',
      of: 'finish a job',
      prepare: async (stage) => {
        const job = await stage.takenJob();
        return () => job.end('done');
      },
      answer: undefined,
    },
    {
      kind: 'ends',
      of: 'give a job back',
      prepare: async (stage) => {
        const job = await stage.takenJob();
        return () => job.end('requeue');
      },
      answer: undefined,
    },
    {
      kind: 'ends',
      of: 'delay a job',
      prepare: async (stage) => {
        const job = await stage.takenJob();
        return () => job.end({ retryAfterMs: 60_000 });
      },
      answer: undefined,
    },
  ],
  'queue/check-runs.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const job = await stage.takenJob();
        job.confirmed(longAgo);
        return () => job.confirm();
      },
      answer: undefined,
    },
  ],
  'queue/renew.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        await stage.takenJob();
        const keys = { running: stage.queue.keys.running };
        return () => renewScript.run(stage.port.redis, { keys, args: { leaseMs: 60_000, process: 'taker' } });
      },
      answer: 1,
    },
  ],
  'queue/check-shard.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        await stage.takenJob();
        return () => recoverNow(stage.port.redis, stage.queue.keys);
      },
      answer: undefined,
    },
  ],
  'queue/remove.lua': [
    {
      kind: 'ends',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        return () => store.queue.remove('echo', taskId, 1);
      },
      answer: undefined,
    },
  ],
  'queue/wake.lua': [
    {
      kind: 'ends',
      prepare: async ({ store, queue }) => {
        await accepted(store, alice);
        return () => queue.wakeAnother();
      },
      answer: undefined,
    },
  ],
  'queue/interrupt-wait.lua': [
    {
      kind: 'ends',
      prepare:
        async ({ port, queueRoot }) =>
        () =>
          interruptScript.run(port.redis, { keys: { interrupt: `${queueRoot}@interrupt` }, args: { keptMs: 60_000 } }),
      answer: null,
    },
  ],
  'outbox/claim-tasks.lua': [
    {
      kind: 'reads',
      prepare:
        async ({ store }) =>
        () =>
          store.outbox.sweep(),
      answer: { added: 0, known: 0, canceled: 0 },
    },
    {
      kind: 'ends',
      of: 'a task whose job waits',
      settings: dueAtOnce,
      prepare: async ({ store }) => {
        await accepted(store, alice);
        return () => store.outbox.sweep();
      },
      answer: { added: 0, known: 1, canceled: 0 },
    },
  ],
  'outbox/sweep.lua': [
    {
      kind: 'begins',
      of: 'a task whose worker has crashed',
      settings: dueAtOnce,
      prepare: async (stage) => {
        const turn = await stage.turn();
        return () => stage.sweep(turn.start.taskId);
      },
      answer: 'add',
    },
    {
      kind: 'ends',
      of: 'a task with a requested cancel',
      settings: dueAtOnce,
      prepare: async (stage) => {
        const turn = await stage.turn();
        await stage.store.tasks.cancel(alice, turn.start.taskId);
        return () => stage.store.outbox.sweep();
      },
      answer: { added: 0, known: 0, canceled: 1 },
    },
  ],
  'steps/begin-step.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return () => stage.store.steps.begin(turn, 'pay');
      },
      answer: { verdict: 'run', mark: '', failed: 0 },
    },
  ],
  'steps/postpone-step.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const turn = await stage.turn();
        await stage.store.steps.begin(turn, 'pay');
        return () => stage.store.steps.postpone(turn, 'pay', 1);
      },
      answer: undefined,
    },
  ],
  'steps/end-step.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const turn = await stage.turn();
        await stage.store.steps.begin(turn, 'pay');
        return () => stage.store.steps.end(turn, 'pay', '{"paid":true}');
      },
      answer: undefined,
    },
  ],
  'turns/suspend-turn.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return () => turn.suspend({ dueMs: Number.POSITIVE_INFINITY, events: [{ name: 'payment' }], waits: [] });
      },
      answer: 'suspended',
    },
  ],
  'waits/begin-wait.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return async () => (await stage.store.waits.begin(turn, { key: 'sleep 1', delayMs: 1_000_000 })).verdict;
      },
      answer: 'waits',
    },
  ],
  'waits/make-callback.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return async () => (await stage.store.waits.callback(turn, 'callback 1', 'payment')).length;
      },
      answer: 32,
    },
  ],
  'waits/give-event.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const { taskId } = (await stage.turn()).start;
        return () => stage.store.waits.give(alice, taskId, { name: 'payment', data: '{}' });
      },
      answer: { verdict: 'given' },
    },
  ],
  'waits/resume-turns.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        await stage.suspendedTurn();
        return async () => (await stage.store.waits.resume()).count;
      },
      answer: 1,
    },
  ],
  'time-to-live/reject-messages.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        await stage.unbegunMessage();
        return async () => (await stage.store.timesToLive.reject()).messages.length;
      },
      answer: 1,
    },
  ],
  'record/claim-members.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const turn = await stage.turn();
        const message = userMessage('cook', { contextId: 'context' });
        await stage.store.calls.place(turn, { agent: 'kitchen', submission: { message }, isDetached: false });
        await turn.publish(outcome('FAILED'));
        return () => stage.store.orphans.end(new Conversations(stage.store.inside));
      },
      answer: 1,
    },
  ],
  'conversations/open-conversation.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return async () => typeof (await stage.conversation(turn));
      },
      answer: 'string',
    },
  ],
  'conversations/append-conversation.lua': [
    {
      kind: 'begins',
      of: 'an event',
      prepare: async (stage) => {
        const turn = await stage.turn();
        const id = await stage.conversation(turn);
        return () => stage.store.conversations.append(turn, id, { ...entry, isEnd: false });
      },
      answer: undefined,
    },
    {
      kind: 'ends',
      of: 'the end of a conversation',
      prepare: async (stage) => {
        const turn = await stage.turn();
        const id = await stage.conversation(turn);
        return () => stage.store.conversations.append(turn, id, { ...entry, isEnd: true });
      },
      answer: undefined,
    },
  ],
  'memory/write-memory.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const turn = await stage.turn();
        return () => stage.store.memory.write(turn, '"much"');
      },
      answer: 1,
    },
  ],
  'access/write-credential.lua': [
    {
      kind: 'begins',
      prepare: async ({ store }) => {
        const draft = { tenant: 'acme', subject: 'alice', scopes: [] };
        return async () => (await store.credentials.create(draft)).credential.tenant;
      },
      answer: 'acme',
    },
  ],
  'operators/set-log-level.lua': [
    {
      kind: 'begins',
      prepare:
        async ({ store }) =>
        async () => {
          await store.ops.logLevels.set('debug', 60_000);
          return (await store.ops.logLevels.read()).level;
        },
      answer: 'debug',
    },
  ],
  'push/create-webhook.lua': [
    {
      kind: 'begins',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        const draft = { id: 'a', url: 'https://client.example.com/hook' };
        return () => store.webhooks.create(alice, taskId, draft);
      },
      answer: { id: 'a', url: 'https://client.example.com/hook' },
    },
  ],
  'push/read-webhooks.lua': [
    {
      kind: 'reads',
      prepare: async (stage) => {
        const taskId = await stage.webhook();
        return async () => (await stage.store.webhooks.get(alice, taskId, 'a'))?.id;
      },
      answer: 'a',
    },
  ],
  'push/delete-webhook.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const taskId = await stage.webhook();
        return () => stage.store.webhooks.delete(alice, taskId, 'a');
      },
      answer: 'deleted',
    },
  ],
  'push/claim-deliveries.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        await stage.webhook();
        return () => stage.store.deliveries.claim();
      },
      answer: 1,
    },
  ],
  'push/open-delivery-queue.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const job = { taskId: await stage.webhook(), number: 1, job: 1, token: randomUUID() };
        return async () => typeof (await stage.store.deliveries.open(job));
      },
      answer: 'object',
    },
  ],
  'push/advance-cursor.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const queue = await stage.deliveryQueue();
        return () => queue.advance({ seq: 1, pending: [] });
      },
      answer: 'idle',
    },
  ],
  'push/postpone-delivery.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const queue = await stage.deliveryQueue();
        return () => queue.postpone({ delayMs: 1_000, attempts: 1 });
      },
      answer: 'postponed',
    },
  ],
  'push/dead-letter.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const queue = await stage.deliveryQueue();
        return () =>
          queue.deadLetter({ origin: 'https://client.example.com', reason: 'the answer was 400', attempts: 9 });
      },
      answer: 'dead-lettered',
    },
  ],
  'push/remove-webhook.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const queue = await stage.deliveryQueue();
        return () => queue.remove();
      },
      answer: 'removed',
    },
  ],
  'operators/retry-dead-webhook.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const id = await stage.deadLetter();
        return async () => (await stage.store.ops.deadLetters.retry(id)).verdict;
      },
      answer: 'retried',
    },
  ],
  'operators/delete-dead-webhook.lua': [
    {
      kind: 'ends',
      prepare: async (stage) => {
        const id = await stage.deadLetter();
        return () => stage.store.ops.deadLetters.delete(id);
      },
      answer: true,
    },
  ],
  'operators/move-cursor.lua': [
    {
      kind: 'begins',
      prepare: async ({ store: { inside }, port: { redis, shards } }) => {
        const { archiver } = new Ops({ inside: { ...inside, archive: nowhere } });
        const [keys] = shards.all;
        await redis.set(keys?.archived ?? '', 'mx1vcd61');
        return async () => {
          await archiver?.recopy();
          return redis.get(keys?.archived ?? '');
        };
      },
      answer: '',
    },
  ],
  'tasks/accept/copy-steps.lua': [
    {
      kind: 'begins',
      prepare: async (stage) => {
        const from = await stage.taskWithStep('a');
        const { taskId } = await accepted(stage.store, alice);
        return () => copySteps(stage.port, { taskId: from, names: ['a'] }, taskId);
      },
      answer: 'copied',
    },
  ],
  'redis/count-confirmed.lua': [
    {
      kind: 'ends',
      prepare:
        async ({ store, port }) =>
        () =>
          countConfirmedScript.run(port.redis, {
            keys: { confirmed: confirmedKeyOf(`${store.settings.prefix}{s0}:`) },
            args: {},
          }),
      answer: null,
    },
  ],
  'redis/read-stream.lua': [
    {
      kind: 'reads',
      prepare: async (stage) => {
        const taskId = await stage.endedTask();
        return async () => {
          const items = await Array.fromAsync(stage.store.feeds.follow(alice, taskId, { after: { seq: 0 } }));
          return items.map(({ seq }) => seq);
        };
      },
      answer: [1, 2],
    },
  ],
  'registry/announce.lua': [
    {
      kind: 'ends',
      prepare: async ({ store }) => {
        await store.registry.announce([announcement], 'w');
        return () => store.registry.announce([announcement], 'w');
      },
      answer: undefined,
    },
  ],
  'registry/withdraw.lua': [
    {
      kind: 'ends',
      prepare: async ({ store }) => {
        await store.registry.announce([announcement], 'w');
        return () => store.registry.withdraw([announcement], 'w');
      },
      answer: undefined,
    },
  ],
  'registry/forget-agent.lua': [
    {
      kind: 'ends',
      prepare: async ({ store }) => {
        await store.registry.announce([announcement], 'w');
        await store.registry.withdraw([announcement], 'w');
        return () => store.registry.forget(announcement.id);
      },
      answer: 'forgotten',
    },
  ],
  'registry/list-agents.lua': [
    {
      kind: 'reads',
      prepare: async ({ store }) => {
        await store.registry.announce([announcement], 'w');
        return async () => (await store.registry.list()).map(({ id }) => id);
      },
      answer: ['echo'],
    },
  ],
  'operators/report-worker.lua': [
    {
      kind: 'ends',
      prepare:
        async ({ store }) =>
        () =>
          store.ops.workers.report('w', report),
      answer: undefined,
    },
  ],
  'operators/drain-worker.lua': [
    {
      kind: 'ends',
      prepare: async ({ store }) => {
        await store.ops.workers.report('w', report);
        return () => store.ops.workers.drain('w');
      },
      answer: true,
    },
  ],
  'operators/unlink-owned.lua': [
    {
      kind: 'ends',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        const turn = await begun(store, taskId);
        await store.memory.write(turn, '1');
        await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
        return async () => (await store.ops.tenants.delete(alice.principal.tenant))?.isComplete;
      },
      answer: true,
    },
  ],
  'operators/list-workers.lua': [
    {
      kind: 'reads',
      prepare: async ({ store }) => {
        await store.ops.workers.report('w', report);
        return async () => (await store.ops.workers.list()).map(({ id }) => id);
      },
      answer: ['w'],
    },
  ],
  'queue/count-jobs.lua': [
    {
      kind: 'reads',
      prepare: async ({ store }) => {
        await accepted(store, alice);
        return async () => (await store.queue.counts('echo')).levels;
      },
      answer: { first: 0, high: 0, normal: 1, low: 0 },
    },
  ],
  'operators/inspect-job.lua': [
    {
      kind: 'reads',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        return async () => (await store.ops.agentQueues.inspect('echo', taskId, 1)).before;
      },
      answer: 0,
    },
  ],
  'operators/read-statuses.lua': [
    {
      kind: 'reads',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        return async () => (await store.ops.tasks.detail(taskId, { hasTimeline: true }))?.timeline?.entries.length;
      },
      answer: 3,
    },
  ],
  'operators/search-tasks.lua': [
    {
      kind: 'reads',
      prepare: async ({ store }) => {
        await accepted(store, alice);
        return async () => (await store.ops.searchTasks({ agent: 'echo', pageSize: 5, hasText: false })).totalSize;
      },
      answer: 1,
    },
  ],
  'upkeep/make-room.lua': [
    {
      kind: 'ends',
      settings: { retentionMinMs: -1_000, makeRoomAtPercent: 1e-12 },
      prepare: async ({ store, port }) => {
        // So large a limit that the share counts as full, and no other script is refused.
        for (const node of mastersOf(port.redis)) await node.config('SET', 'maxmemory', String(2 ** 50));
        await store.registry.announce([announcement], 'w');
        const { taskId } = await accepted(store, alice);
        await store.tasks.cancel(alice, taskId);
        return async () => {
          const { dropped } = await store.room.make();
          return dropped;
        };
      },
      answer: 1,
    },
  ],
  'upkeep/trim-index.lua': [
    {
      kind: 'ends',
      settings: { retentionMs: -1_000 },
      prepare: async ({ store }) => {
        await store.registry.announce([announcement], 'w');
        const { taskId } = await accepted(store, alice);
        await store.tasks.cancel(alice, taskId);
        return async () => {
          await store.agentIndexes.trim();
          return (await store.ops.searchTasks({ agent: 'echo', pageSize: 1, hasText: false })).totalSize;
        };
      },
      answer: 0,
    },
  ],
  'operators/read-rows.lua': [
    {
      kind: 'reads',
      prepare: async ({ store }) => {
        const { taskId } = await accepted(store, alice);
        const query = { id: taskId, pageSize: 5, hasText: true };
        return async () => (await store.ops.searchTasks(query)).tasks.map(({ text }) => text);
      },
      answer: ['hello'],
    },
  ],
  'schema/register-program.lua': [
    {
      kind: 'begins',
      prepare:
        async ({ store }) =>
        async () =>
          (await store.schema.register()).migrated,
      answer: 1,
    },
  ],
  'schema/hold-migration.lua': [
    {
      kind: 'begins',
      prepare:
        async ({ store }) =>
        () =>
          store.migrator.lock.hold(),
      answer: true,
    },
  ],
  'operators/read-overdue.lua': [
    {
      kind: 'reads',
      prepare:
        async ({ store }) =>
        async () =>
          (await store.ops.listStuck({ pageSize: 1 })).items,
      answer: [],
    },
  ],
};

/** Begins the turn like a worker that takes the job after another one has crashed. @returns the verdict */
function beginAgain({ store }: Stage, taskId: string): Promise<unknown> {
  return beginTurn(store, { taskId, started: 2 });
}

/** All of them, with the names of their tests. */
export const cases: readonly (ScriptRun & { readonly name: string })[] = Object.entries(scriptRuns).flatMap(
  ([script, runs]) => runs.map((run) => ({ name: run.of ? `${script}: ${run.of}` : script, ...run })),
);
