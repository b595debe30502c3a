import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const countSchema = z.object({
  total: z.number(),
  pass: z.number(),
  partial: z.number(),
  fail: z.number(),
  not_measured: z.number(),
  na: z.number(),
  satisfied: z.boolean(),
});
const reportSchema = z.object({
  report: z.object({ tier_claimed: z.number() }),
  summary: z.record(z.string(), countSchema),
  requirements: z.record(
    z.string(),
    z.object({
      tier: z.number(),
      status: z.enum(['pass', 'partial', 'fail', 'not_measured', 'na']),
      note: z.string().nullable(),
      evidence: z.string().nullable(),
    }),
  ),
});

const { report, summary, requirements } = reportSchema.parse(
  parse(readFileSync('apps/cli/compliance-report.yaml', 'utf8')),
);
const page = readFileSync('apps/cli/COMPLIANCE.md', 'utf8');
const marks = { pass: '✅ Pass', partial: '◐ Partial', fail: '❌ Fail', not_measured: '⊘ Not measured', na: '— N/A' };

describe('the compliance report', () => {
  it.each([1, 2, 3])('counts its entries of tier %i correctly, and claims the tier only if it is satisfied', (tier) => {
    const all = Object.values(requirements).filter((each) => each.tier === tier);
    const { total, satisfied, ...counts } = summary[`tier_${tier}`] ?? countSchema.parse({});
    expect(total).toBe(all.length);
    for (const [status, count] of Object.entries(counts))
      expect(all.filter((each) => each.status === status)).toHaveLength(count);
    if (tier <= report.tier_claimed) expect([satisfied, counts.pass + counts.na]).toEqual([true, total]);
  });

  it('agrees with its page, with an existing test for each pass and a reason for each other status', () => {
    for (const [id, { status, note, evidence }] of Object.entries(requirements)) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${id}\` `));
      expect(row).toContain(`| ${marks[status]} |`);
      if (status !== 'pass') expect(note, id).toBeTruthy();
      else
        expect(
          evidence?.split(', ').filter((file) => !existsSync(file)),
          id,
        ).toEqual([]);
    }
  });
});
