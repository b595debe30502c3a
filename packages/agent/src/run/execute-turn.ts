import { setTimeout as delay } from 'node:timers/promises';
import type { TurnEvent, TurnFault } from '@switchyard/protocol';
import { readInput } from '../data/input.ts';
import type { Agent } from '../definition/agent.ts';
import { type TurnFailure, throughLayers } from '../definition/middleware.ts';
import { TurnJournal } from '../journal/turn-journal.ts';
import { agentMessage, typeName } from '../messages/content.ts';
import { turnMessageId } from '../messages/derived-id.ts';
import { BudgetSpent } from '../port/budget.ts';
import type { Outcome, TurnResult } from '../port/outcome.ts';
import { AgentError, RetryableError, TurnEnded, TurnMisuseError } from '../port/turn-errors.ts';
import { TurnInterruption } from '../port/turn-interruption.ts';
import type { TurnPort } from '../port/turn-port.ts';
import { Turn } from '../turn/turn.ts';
import { questionMetadata } from './budget-question.ts';
import { faultOf } from './fault.ts';
import { TurnTimeouts } from './turn-timeouts.ts';

/** Options of a worker or test. */
export interface ExecuteTurnOptions {
  /**
   * Milliseconds that an executor has to stop after its signal; default 5,000. Then the turn ends, and its late writes
   * are refused.
   */
  readonly graceMs?: number;
}

/**
 * Runs an agent on one message. Never rejects: every error becomes a result. If the executor does not stop after its
 * interruption, it returns after `graceMs` (twice that after the deadline, when the failure must still be written, and
 * three times if the agent has `onFailure`).
 *
 *     const port = new MemoryPort({ message: 'Hello' });
 *     const result = await executeTurn(agent, port);
 */
export async function executeTurn(
  agent: Agent,
  port: TurnPort,
  { graceMs = 5_000 }: ExecuteTurnOptions = {},
): Promise<TurnResult> {
  const journal = new TurnJournal(port, agent.whileWorking);
  const run: Execution = { agent, port, journal, turn: new Turn(port, journal), graceMs };
  using timeouts = new TurnTimeouts(journal, { timeoutMs: agent.turnTimeoutMs, graceMs, signal: port.signal });
  const result = await Promise.race([perform(run), timeouts.graceOver.then(() => abandon(run))]);
  if (result.kind === 'suspended') journal.close(new TurnInterruption('suspended'));
  else if (result.kind !== 'settled') journal.close(interruptionOf(journal));
  return result;
}

interface Execution {
  readonly agent: Agent;
  readonly port: TurnPort;
  readonly journal: TurnJournal;
  readonly graceMs: number;
  turn: Turn;
  /** Ends the turn that was interrupted. */
  interrupted?: Promise<TurnResult>;
}

async function perform(run: Execution): Promise<TurnResult> {
  if (run.journal.signal.aborted) return interrupted(run);
  const { scope, pending } = run.journal;
  let returned: unknown;
  try {
    returned = await Promise.race([scope.run(() => execute(run)), scope.failure, pending.suspended]);
  } catch (error) {
    return conclude(run, () => resultOf(run, error), error);
  }
  return conclude(run, async () =>
    pending.isSuspended ? { kind: 'suspended', waits: pending.list } : resultWithoutOutcome(run, returned),
  );
}

/** A task whose input is wrong is rejected, so that its caller sends another one. */
async function execute(run: Execution): Promise<Outcome> {
  const { agent, port, journal } = run;
  const { use = [] } = agent;
  await followAnswer(run);
  const restoring = port.restoreMessage?.();
  if (restoring) await restoring;
  const input = await readInput(agent.input, port.input);
  if ('problem' in input) {
    journal.blame({ kind: 'input-refused', error: new AgentError(input.problem) });
    return run.turn.reject(input.problem);
  }
  const turn: Turn = new Turn(port, journal, {
    input: input.value,
    aroundStep: (step, next) =>
      throughLayers(
        use.map((layer) => (inner) => (layer.aroundStep ? layer.aroundStep(turn, step, inner) : inner())),
        next,
      ),
  });
  run.turn = turn;
  return throughLayers(
    use.map((layer) => (inner) => (layer.aroundTurn ? layer.aroundTurn(turn, inner) : inner())),
    async () => agent.execute(turn),
  );
}

/** If the client was asked whether the task may go on, does what it says. @throws {BudgetSpent} it did not say yes */
async function followAnswer({ port, journal }: Execution): Promise<void> {
  const { budgetAnswer: answer } = port;
  if (!answer) return;
  if (answer.says === 'no')
    throw new BudgetSpent({ text: 'The task has spent its budget, and may not go on.', asks: false });
  await journal.runEffect(async () => port.continueWork?.(answer.says === 'yes'));
  if (answer.says === 'unclear') throw new BudgetSpent({ text: answer.question, asks: true });
}

/** The journal decides the result before anything that the agent threw or returned. */
async function conclude(run: Execution, otherwise: () => Promise<TurnResult>, thrown?: unknown): Promise<TurnResult> {
  const { journal } = run;
  await journal.flush();
  if (journal.outcome) return settled(journal.outcome, thrown ?? journal.firstError);
  if (journal.signal.aborted) return interrupted(run);
  // The port could not write, so it cannot write a failure either. The agent did not cause it: retry the turn.
  if (journal.portError !== undefined) return { kind: 'retry', afterMs: undefined, error: journal.portError };
  return otherwise();
}

/** Ends the turn of an executor that does not stop. */
async function abandon(run: Execution): Promise<TurnResult> {
  if (run.journal.outcome) return settled(run.journal.outcome, run.journal.firstError);
  const reason = interruptionOf(run.journal);
  const leftMs = run.graceMs * (run.agent.onFailure ? 2 : 1);
  const givenUp = delay(leftMs, { kind: 'interrupted', reason } as const, { ref: false });
  return Promise.race([interrupted(run), givenUp]);
}

function settled({ state }: Outcome, error: unknown): TurnResult {
  return error === undefined ? { kind: 'settled', state } : { kind: 'settled', state, error };
}

function interrupted(run: Execution): Promise<TurnResult> {
  run.interrupted ??= endInterrupted(run);
  return run.interrupted;
}

async function endInterrupted(run: Execution): Promise<TurnResult> {
  const reason = interruptionOf(run.journal);
  if (reason.kind !== 'deadline') return { kind: 'interrupted', reason };
  const text = `The agent did not finish within ${run.agent.turnTimeoutMs / 1000} s.`;
  return fail(run, text, { kind: 'timed-out', error: new TurnInterruption('deadline', text) });
}

function interruptionOf({ ended, signal }: TurnJournal): TurnInterruption {
  if (ended) return ended.reason;
  return signal.aborted ? TurnInterruption.from(signal.reason) : new TurnInterruption('taken-over');
}

async function resultOf(run: Execution, error: unknown): Promise<TurnResult> {
  if (error instanceof BudgetSpent && error.asks) return ask(run, error.message);
  if (error instanceof AgentError) return fail(run, error.message, faultOf(error));
  if (!(error instanceof RetryableError)) return fail(run, 'The agent failed unexpectedly.', faultOf(error));
  const { attempt, isLastAttempt } = run.port.input;
  if (!isLastAttempt) return { kind: 'retry', afterMs: error.retryAfterMs, error };
  const text = `The agent gave up after ${attempt} ${attempt === 1 ? 'attempt' : 'attempts'}: ${error.message}`;
  const fault = faultOf(error);
  await reportFailure(run, { ...fault, text });
  return writeFailure(run, fault, () => run.journal.write(() => deadLetter(text)));
}

/** The result when `execute` returned without an outcome. */
async function resultWithoutOutcome(run: Execution, returned: unknown): Promise<TurnResult> {
  const { agent, journal } = run;
  if (journal.state === 'TASK_STATE_AUTH_REQUIRED') {
    journal.steering?.end();
    return { kind: 'waiting-for-auth', ...(journal.steering && { delivered: journal.steering.delivered }) };
  }
  const what = returned === undefined ? 'without an outcome' : `${typeName(returned)}, which is no outcome`;
  const hint =
    `execute() of the agent "${agent.id}" returned ${what}: ` +
    'end it with "return turn.complete(…)" or another outcome.';
  const error = journal.firstError ?? new TurnMisuseError(hint);
  return fail(run, 'The agent ended its turn without an outcome.', { kind: 'misuse', error });
}

/** Asks the client whether the task may go on. */
async function ask(run: Execution, text: string): Promise<TurnResult> {
  const { input, budgetAnswer } = run.port;
  const { messageId } = input.message;
  const message = {
    ...agentMessage({ parts: [{ text }], metadata: questionMetadata(messageId) }),
    // The same question may be asked again, so its id is derived from the answer before.
    messageId: turnMessageId({ taskId: input.task.id, messageId }, ['budget', budgetAnswer?.messageId]),
  };
  const state = 'TASK_STATE_INPUT_REQUIRED';
  try {
    await run.journal.write(() => ({ kind: 'status', state, message, settles: true }));
    return { kind: 'settled', state };
  } catch (fault) {
    if (fault instanceof TurnEnded) return { kind: 'interrupted', reason: fault.reason };
    return { kind: 'retry', afterMs: undefined, error: run.journal.portError ?? fault };
  }
}

async function fail(run: Execution, text: string, fault: TurnFault): Promise<TurnResult> {
  await reportFailure(run, { ...fault, text });
  return writeFailure(run, fault, () => run.turn.fail(text));
}

/** Calls `onFailure` of the agent. Never rejects: the turn has failed already. */
async function reportFailure({ agent, turn, journal, graceMs }: Execution, failure: TurnFailure): Promise<void> {
  const { onFailure } = agent;
  if (!onFailure || journal.ended) return;
  journal.refuseOutcomes();
  const late = delay(graceMs, 'late', { ref: false });
  try {
    const ended = await Promise.race([journal.scope.run(async () => onFailure(turn, failure)), late]);
    if (ended === 'late') turn.log.error('onFailure has not ended, and is not waited for any longer', { graceMs });
  } catch (error) {
    turn.log.error('onFailure has failed', { error: error instanceof Error ? error : String(error) });
  }
}

async function writeFailure(
  { journal }: Execution,
  fault: TurnFault,
  write: () => Promise<unknown>,
): Promise<TurnResult> {
  const { error } = fault;
  journal.blame(fault);
  try {
    await write();
    return { kind: 'failed', error };
  } catch (fault) {
    if (fault instanceof TurnEnded) return { kind: 'interrupted', reason: fault.reason };
    return { kind: 'retry', afterMs: undefined, error: journal.portError ?? fault };
  }
}

function deadLetter(text: string): TurnEvent {
  return {
    kind: 'status',
    state: 'TASK_STATE_FAILED',
    message: agentMessage(text),
    settles: true,
    deadLetterReason: text,
  };
}
