import { describe, expect, test } from 'vitest';
import { Circuit } from '../../src/push/circuits.ts';

function fail(circuit: Circuit, times: number, now = 0): void {
  for (let i = 0; i < times; i++) circuit.admit(now);
  for (let i = 0; i < times; i++) circuit.report(true, now);
}

describe('a circuit', () => {
  test('opens for one second after five failures in a row, also if 20 calls in flight fail', () => {
    const circuit = new Circuit();
    fail(circuit, 4);
    expect(circuit.admit(0)).toBeUndefined();
    circuit.report(true, 0);
    expect(circuit.admit(0)).toBe(1_000);
    const busy = new Circuit();
    fail(busy, 20);
    expect(busy.admit(0)).toBe(1_000);
  });

  test('counts from zero again after a success', () => {
    const circuit = new Circuit();
    fail(circuit, 4);
    circuit.admit(0);
    circuit.report(false, 0);
    fail(circuit, 4);
    expect(circuit.admit(0)).toBeUndefined();
  });

  test('that is open admits one trial call at a time, with a doubling interval of at most 60 s', () => {
    const circuit = new Circuit();
    fail(circuit, 5);
    expect(circuit.admit(999)).toBe(1);
    expect(circuit.admit(1_000)).toBeUndefined();
    expect(circuit.admit(1_000)).toBe(1_000);
    circuit.report(true, 1_000);
    expect(circuit.admit(1_000)).toBe(2_000);
    for (let now = 3_000; now < 1_000_000; now += 60_000) {
      circuit.admit(now);
      circuit.report(true, now);
    }
    expect(circuit.admit(1_000_000)).toBeLessThanOrEqual(60_000);
  });

  test('closes when a trial call succeeds', () => {
    const circuit = new Circuit();
    fail(circuit, 5);
    circuit.admit(1_000);
    circuit.report(false, 1_000);
    expect([circuit.admit(1_000), circuit.admit(1_000)]).toEqual([undefined, undefined]);
    expect(circuit.isFresh).toBe(false);
  });
});
