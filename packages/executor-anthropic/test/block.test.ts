import { expect, test } from 'vitest';
import { Block } from '../src/block.ts';

test('the citations of a text are joined in a time that grows with their number', () => {
  const [block, count] = [new Block({ type: 'text', text: 'So it is.', citations: null }), 50_000];
  const before = process.cpuUsage();
  for (let at = 0; at < count; at++)
    block.add({
      type: 'citations_delta',
      citation: {
        type: 'char_location',
        cited_text: `${at}`,
        document_index: 0,
        document_title: null,
        end_char_index: 1,
        file_id: null,
        start_char_index: 0,
      },
    });
  const { citations } = Object(block.sentBack);
  expect([citations.length, citations.at(-1).cited_text]).toEqual([count, `${count - 1}`]);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(5_000);
});
