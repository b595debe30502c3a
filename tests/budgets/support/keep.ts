import { expect } from 'vitest';
import type { Tally } from '../../support/redis-ledger.ts';
import { type Budget, budgets, type OperationBudget, operations } from '../budgets.ts';

/** Fails the test, but continues, if more was measured than the budget allows. */
export function keepBudget(name: keyof typeof budgets, measured: number): void {
  const { most, because }: Budget = budgets[name];
  const words = `${name}: ${Number(measured.toPrecision(4))}, and the budget is ${most} (${because})`;
  expect.soft(measured, words).toBeGreaterThanOrEqual(0);
  expect.soft(measured, words).toBeLessThanOrEqual(most);
}

export function keepOperationBudget(name: keyof typeof operations, { trips, commands }: Tally): void {
  const budget: OperationBudget = operations[name];
  const words = `${name}: ${trips} trips (${commands.join(' ')}), and the budget is ${budget.trips} trips and ${budget.commands} commands (${budget.because})`;
  expect.soft(commands.length, `${name} asked nothing of Redis: the count is wrong`).toBeGreaterThan(0);
  expect.soft(trips, words).toBeLessThanOrEqual(budget.trips);
  expect.soft(commands.length, words).toBeLessThanOrEqual(budget.commands);
}
