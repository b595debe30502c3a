import type * as rules from '../reference/turn-rules.ts';

type Rules = typeof rules;

export interface World {
  readonly name: string;
  readonly messages: number;
  readonly faults: number;
}

export interface Result {
  readonly states: number;
  readonly problem?: string;
  readonly trace?: readonly string[];
}

export const SMALL_WORLDS: readonly World[];
export interface Mutant {
  readonly name: string;
  readonly rules: Rules;
  /** It shows in worlds with times to live. */
  readonly expires: boolean;
}

export const MUTANTS: readonly Mutant[];
export function search(world: World, rules: Rules, checksRecords?: boolean): Result;
/** The problem found in the first world in which the mutant has one; undefined: in none. */
export function firstCatch(mutant: Mutant, checksRecords: boolean, worlds?: readonly World[]): string | undefined;
