import { globSync, readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import { checkSync } from 'recheck';
import { describe, expect, it } from 'vitest';

/** A request with a text that makes a pattern backtrack blocks a whole gateway or worker. */
describe('Every regular expression of the product', () => {
  const files = globSync('{packages,apps}/*/src/**/*.ts');
  const patterns = files.flatMap(patternsIn);

  it('are found', () => {
    expect(patterns.length).toBeGreaterThan(50);
  });

  it.each(patterns)('takes linear time: $file $pattern', { timeout: 60_000 }, ({ pattern, flags }) => {
    const { status } = checkSync(pattern, flags, { timeout: 50_000 });
    expect(status).toBe('safe');
  });

  it('is a literal, so that this test can find it', () => {
    expect(files.filter((file) => /\bRegExp\(/.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

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
