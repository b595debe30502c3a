import { describe, expect, it } from 'vitest';
import { unknownSettings, unknownSettingText } from '../src/index.ts';

describe('a variable that is not a setting', () => {
  it.each([
    ['SENDMODE', 'SEND_MODE'],
    ['PROT', 'PORT'],
    ['REDIS_URI', 'REDIS_URL'],
    ['MAX_STREAM', 'MAX_STREAMS'],
    ['SWITCHYARD_PORT', 'PORT'],
    ['SWITCHYARD_LOGLEVEL', 'LOG_LEVEL'],
    ['LEASE_MS', 'SWEEP_AFTER_MS'],
  ])('%s is reported with the suggestion %s', (name, meant) => {
    expect(unknownSettings({ [name]: 'x' })).toEqual([{ name, meant }]);
  });

  it('is reported without a suggestion if it begins with SWITCHYARD_', () => {
    const [unknown] = unknownSettings({ SWITCHYARD_COLOUR: 'red' });
    expect(unknown && unknownSettingText(unknown)).toBe('SWITCHYARD_COLOUR is not a setting of Switchyard');
  });

  it.each([
    ['PATH', '/bin'],
    ['HOME', '/root'],
    ['HOSTNAME', 'box'],
    ['SHELL', '/bin/sh'],
    ['PWD', '/'],
    ['npm_config_port', '1'],
    ['SWITCHYARD_SERVICE_HOST', '10.0.0.1'],
    ['SWITCHYARD_PORT', 'tcp://10.0.0.1:4000'],
    ['SENDMODE', ''],
  ])('and does not resemble one is ignored: %s=%s', (name, value) => {
    expect(unknownSettings({ [name]: value })).toEqual([]);
  });
});
