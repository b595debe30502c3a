import { describe, expect, it } from 'vitest';
import { MainThreadCheck } from '../src/blocked/main-thread-check.ts';

/** A main thread that beats until `stops`, looked at four times a second. */
function watched(maxBlockedMs: number) {
  const notes: string[] = [];
  const heartbeat = { beats: 0, isOff: false };
  const check = new MainThreadCheck(maxBlockedMs, {
    heartbeat,
    notes: {
      noticed: async (ms, max) => void notes.push(`noticed after ${ms} of ${max}`),
      answersAgain: async (ms) => void notes.push(`answers after ${ms}`),
      end: async (ms) => void notes.push(`ends after ${ms}`),
    },
  });
  const look = async (seconds: number, isBlocked: boolean): Promise<string[]> => {
    for (let i = 0; i < 4 * seconds; i++) {
      if (!isBlocked) heartbeat.beats += 1;
      check.look();
    }
    await check.settled;
    return notes;
  };
  return { look, heartbeat };
}

describe('a main thread', () => {
  it('that is blocked is noticed before its leases expire, and ended after the limit, once', async () => {
    const { look } = watched(10_000);
    await look(1, false);
    expect(await look(3, true)).toEqual(['noticed after 2500 of 10000']);
    expect(await look(20, true)).toEqual(['noticed after 2500 of 10000', 'ends after 10000']);
  });

  it('that answers again is told once, and the next block begins anew', async () => {
    const { look } = watched(10_000);
    await look(1, false);
    await look(4, true);
    await look(2, false);
    expect(await look(3, true)).toEqual([
      'noticed after 2500 of 10000',
      'answers after 4000',
      'noticed after 2500 of 10000',
    ]);
  });

  it('that is blocked for a moment is no news', async () => {
    const { look } = watched(10_000);
    await look(1, false);
    await look(2, true);
    expect(await look(1, false)).toEqual([]);
  });

  it('is not ended without a limit, nor while a debugger may stop it', async () => {
    const unlimited = watched(0);
    await unlimited.look(1, false);
    expect(await unlimited.look(60, true)).toEqual(['noticed after 2500 of 0']);
    const debugged = watched(10_000);
    await debugged.look(1, false);
    debugged.heartbeat.isOff = true;
    expect(await debugged.look(60, true)).toEqual([]);
  });

  it('is ended at a limit that is shorter than the time to notice it', async () => {
    const { look } = watched(1_000);
    await look(1, false);
    expect(await look(5, true)).toEqual(['ends after 1000']);
  });
});
