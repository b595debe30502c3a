import { describe, expect, it } from 'vitest';
import { readSearch } from '../src/index.ts';

const now = Date.parse('2026-01-31T12:00:30Z');

describe('a search for tasks', () => {
  it('is parsed from words in any order', () => {
    expect(readSearch('agent:pizza state:failed,working since:1h 1234-5678', now)).toEqual({
      search: {
        agent: 'pizza',
        state: ['TASK_STATE_FAILED', 'TASK_STATE_WORKING'],
        since: '2026-01-31T11:00:00.000Z',
        id: '1234-5678',
      },
    });
    expect(readSearch('tenant:"two words" until:2026-01-30', now).search).toEqual({
      tenant: 'two words',
      until: '2026-01-30T00:00:00.000Z',
    });
    expect(readSearch('text:"two words" agent:pizza text:-draft', now).search).toEqual({
      text: '"two words" -draft',
      agent: 'pizza',
    });
    expect(readSearch('sort:cost', now)).toEqual({ search: { sort: 'cost' } });
    expect(readSearch('  ', now)).toEqual({ search: {} });
  });

  it('names the words that it does not understand, and uses the rest', () => {
    expect(readSearch('colour:red agent:pizza', now)).toMatchObject({
      search: { agent: 'pizza' },
      problem: expect.stringContaining('colour'),
    });
    expect(readSearch('state:lost', now).problem).toContain('submitted');
    expect(readSearch('since:yesterday', now).problem).toContain('30m');
  });
});
