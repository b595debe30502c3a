import { expect, test } from 'vitest';
import { ToolCallBuilder } from '../src/tool-call-builder.ts';

test('the pieces of many calls are joined in a time that grows with their number', () => {
  const [builder, count] = [new ToolCallBuilder(), 50_000];
  const before = process.cpuUsage();
  for (const text of ['{"a":', '1}'])
    for (let index = 0; index < count; index++)
      builder.add([{ index, function: { name: text === '1}' ? null : 'add', arguments: text } }]);
  const calls = builder.build();
  expect([calls.length, calls.every((call) => call.arguments === '{"a":1}')]).toEqual([count, true]);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
