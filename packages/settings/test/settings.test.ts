import { describe, expect, it } from 'vitest';
import { type Environment, Settings, SettingsError } from '../src/index.ts';

function problemsOf(environment: Environment, command: 'start' | 'gateway' | 'worker' = 'gateway'): string {
  try {
    new Settings(command, environment).requireValid();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return '';
}

describe('the settings of a command', () => {
  it('have their defaults if a variable is not set or empty', () => {
    const { values } = new Settings('worker', { METRICS_PORT: '', PUSH: '', SWEEP_AFTER_MS: '', REDIS_URL: '' });
    expect(values).toMatchObject({ PUSH: true, SWEEP_AFTER_MS: 15_000, REDIS_URL: 'redis://127.0.0.1:6379' });
    expect(values.METRICS_PORT).toBeUndefined();
  });

  it('can have other defaults for other commands', () => {
    expect(new Settings('gateway', {}).values.DRAIN_MS).toBe(3_000);
    expect(new Settings('worker', {}).values.DRAIN_MS).toBe(2_000);
    expect(new Settings('start', {}).values.REDIS_URL).toBeUndefined();
  });

  it('are parsed to numbers, booleans and lists', () => {
    const { values } = new Settings('gateway', {
      PORT: '0',
      GRPC_PORT: 'off',
      TRUST_PROXY: 'true',
      LEGACY_V0_3: 'off',
      PUSH_ALLOW_HOSTS: '127.0.0.0/8, ::1',
    });
    expect(values).toMatchObject({ PORT: 0, GRPC_PORT: 'off', TRUST_PROXY: true, LEGACY_V0_3: false });
    expect(values.PUSH_ALLOW_HOSTS).toEqual(['127.0.0.0/8', '::1']);
  });

  it('are refused in one error that says for each what is allowed', () => {
    const wrong = { PORT: 'eighty', SEND_MODE: 'x', GRPC_PORT: 'none', HEARTBEAT_MS: '1.5', KEY_PREFIX: '{a}' };
    expect(problemsOf(wrong)).toBe(
      `These environment variables are not valid:
  PORT: must be a whole number from 0 to 65535
  GRPC_PORT: must be a whole number from 0 to 65535, or off
  KEY_PREFIX: must be 1 to 64 letters, digits and . : _ -
  SEND_MODE: must be blocking or immediate
  HEARTBEAT_MS: must be a whole number from 1 to 2147483647`,
    );
  });

  it('are refused in an error that does not contain their values, which may be secrets', () => {
    expect(problemsOf({ REDIS_URL: 'http://u:hunter2@redis' })).toMatch(/REDIS_URL: must be an address such as/);
    expect(problemsOf({ REDIS_URL: 'http://u:hunter2@redis' })).not.toContain('hunter2');
  });

  it('of other commands are ignored', () => {
    expect(problemsOf({ SEND_MODE: 'x' }, 'worker')).toBe('');
  });

  it('can be checked further (check); the error contains these problems, too', () => {
    const given = new Settings('gateway', { PORT: 'eighty' });
    expect(given.check('HOST', () => 7)).toBe(7);
    given.check('API_KEYS', () => {
      throw new Error('entry 2 has no subject');
    });
    expect(() => given.requireValid()).toThrow(/PORT: .*\n {2}API_KEYS: entry 2 has no subject/);
  });

  it('of several commands are refused in one error, each once', () => {
    const environment = { LOG_LEVEL: 'loud', SEND_MODE: 'x' };
    const all = [new Settings('gateway', environment), new Settings('worker', environment)];
    expect(() => Settings.requireAllValid(all)).toThrow(/^[^\n]*\n[^\n]*SEND_MODE[^\n]*\n[^\n]*LOG_LEVEL[^\n]*$/);
  });
});
