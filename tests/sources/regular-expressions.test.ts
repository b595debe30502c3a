import { globSync, readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import { checkSync, type VulnerableDiagnostics } from 'recheck';
import { describe, expect, it } from 'vitest';
import { isThorough } from '../support/thorough.ts';

/** A few proofs take seconds: `npm test` leaves those to `npm run test:faults`. */
const proveWithinMs = isThorough ? 50_000 : 50;

/** A request with a text that makes a pattern backtrack blocks a whole gateway or worker. */
describe('Every regular expression of the product', () => {
  const files = globSync('{packages,apps}/*/src/**/*.ts');
  const patterns = [
    ...new Map(files.flatMap(patternsIn).map((found) => [`/${found.pattern}/${found.flags}`, found])).values(),
  ];

  it('are found', () => {
    expect(patterns.length).toBeGreaterThan(50);
  });

  it.each(patterns)('takes linear time: $file $pattern', ({ pattern, flags }) => {
    const found = checkSync(pattern, flags, { timeout: proveWithinMs });
    if (!isThorough && found.status === 'unknown' && found.error.kind === 'timeout') return;
    // What the checker finds by trying, instead of by proof, may be a large constant factor.
    if (found.status === 'vulnerable' && found.checker === 'fuzz')
      expect(growth(new RegExp(pattern, flags), found.attack)).toBeLessThan(9);
    else expect(found.status).toBe('safe');
  });

  it('is a literal, so that this test can find it', () => {
    expect(files.filter((file) => /\bRegExp\(/.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

/** By how much the time to replace grows when the attack is four times as long: 4 if it is linear, 16 if quadratic. */
function growth(pattern: RegExp, { pumps, suffix }: VulnerableDiagnostics['attack']): number {
  const msOf = (times: number): number => {
    const text = `${pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join('')}${suffix}`;
    const runs = Array.from({ length: 5 }, () => {
      const begun = performance.now();
      text.replace(pattern, '');
      return performance.now() - begun;
    });
    return Math.min(...runs);
  };
  let times = 1_000;
  while (msOf(times) < 2 && times < 1_000_000) times *= 2;
  return msOf(4 * times) / msOf(times);
}

interface Pattern {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

function patternsIn(file: string): Pattern[] {
  const found: Pattern[] = [];
  const visitor = new Visitor({
    Literal(node) {
      if ('regex' in node && node.regex) found.push({ file, ...node.regex });
    },
  });
  visitor.visit(parseSync(file, readFileSync(file, 'utf8')).program);
  return found;
}
