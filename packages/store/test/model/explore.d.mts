import type * as rules from '../reference/turn-rules.ts';

type Rules = Pick<typeof rules, 'accept' | 'beginTurn' | 'append' | 'endTurn' | 'handBackTurn' | 'cancel' | 'sweep'>;

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
export const MUTANTS: readonly { readonly name: string; readonly rules: Rules }[];
export function search(world: World, rules: Rules, checksRecords?: boolean): Result;
/** The problem found in the first world in which the broken rules have one; undefined if they have none. */
export function firstCatch(broken: Rules, checksRecords: boolean, worlds?: readonly World[]): string | undefined;
