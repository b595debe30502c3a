import type { Findings } from '../profiles/profile.ts';

export interface Verdict {
  readonly passed: boolean;
  /** In words, what was asked and what came of it. */
  readonly because: string;
}

export interface Judged {
  readonly requests: number;
  readonly errors: number;
  readonly findings: Findings;
  /** Share of requests that may fail. */
  readonly most: number;
}

/** Decides about the exit code. A ramp passes when a rate held: the errors beyond its limit are what it looked for. */
export function judge({ requests, errors, findings, most }: Judged): Verdict {
  if (findings.ramp) return judgeRamp(findings.ramp);
  if (requests === 0) return { passed: false, because: 'nothing was answered' };
  const rate = errors / requests;
  return {
    passed: rate <= most,
    because: `errors ${percent(rate)}, ${rate <= most ? 'not more' : 'more'} than ${percent(most)}`,
  };
}

function judgeRamp({ highestThatHeld, lowestThatDidNot }: NonNullable<Findings['ramp']>): Verdict {
  if (highestThatHeld === undefined) return { passed: false, because: 'not even the first rate held' };
  const limit = lowestThatDidNot === undefined ? 'the limit was not reached' : `${lowestThatDidNot}/s did not`;
  return { passed: true, because: `${highestThatHeld}/s held, ${limit}` };
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value === 0 || value >= 10 ? Math.round(value) : Number(value.toPrecision(2))} %`;
}
