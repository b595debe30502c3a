import { describe, expect, it } from 'vitest';
import { readForeignCard } from '../src/schemas/index.ts';

const jsonRpc = { url: 'https://agent.example.com/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
const card = {
  name: 'Almanac',
  description: 'Dates',
  version: '1',
  capabilities: {},
  skills: [],
  supportedInterfaces: [jsonRpc],
};
const skill = { id: 'dates', name: 'Dates', description: 'Tells dates', tags: ['time'] };

describe('the card of another system', () => {
  it('without faults is read without a problem', () => {
    expect(readForeignCard({ ...card, skills: [skill] })).toMatchObject({ card: { skills: [skill] }, problems: [] });
  });

  it('may have null for every field that is unset, at each level', () => {
    const nulls = { provider: null, documentationUrl: null, securitySchemes: null, signatures: null, iconUrl: null };
    const odd = {
      ...card,
      ...nulls,
      capabilities: { streaming: true, extensions: null, pushNotifications: null },
      skills: [{ ...skill, examples: null, inputModes: null, tags: null }],
      supportedInterfaces: [{ ...jsonRpc, tenant: null, protocolVersion: null }],
    };
    const { card: read, problems } = readForeignCard(odd);
    expect(problems).toEqual([]);
    expect(read).toMatchObject({ supportedInterfaces: [jsonRpc], capabilities: { streaming: true } });
  });

  it.each([
    ['null capabilities', { capabilities: null }, { capabilities: {} }],
    ['no version', { version: undefined }, { version: 'unknown' }],
    ['an empty description', { description: '' }, { description: 'Almanac' }],
    ['null skills', { skills: null }, { skills: [] }],
    ['an interface without a version', { supportedInterfaces: [{ ...jsonRpc, protocolVersion: undefined }] }, {}],
    ['a version as a number', { supportedInterfaces: [{ ...jsonRpc, protocolVersion: 1 }] }, {}],
  ])('with %s is read without a problem', (_, odd, read) => {
    const expected = { card: { supportedInterfaces: [jsonRpc], ...read }, problems: [] };
    expect(readForeignCard({ ...card, ...odd })).toMatchObject(expected);
  });

  it.each([
    [
      'a skill whose tags are a text',
      { ...skill, tags: 'time' },
      { ...skill, tags: [] },
      'skills[0].tags must be a list',
    ],
    [
      'a skill whose examples are numbers',
      { ...skill, examples: [1, 'x'] },
      { ...skill, examples: ['x'] },
      'examples[0]',
    ],
    ['a skill with only an id', { id: 'dates' }, { id: 'dates', name: 'dates', description: 'dates', tags: [] }, ''],
  ])('keeps %s, without the odd field', (_, odd, read, problem) => {
    const { card: kept, problems } = readForeignCard({ ...card, skills: [odd, skill] });
    expect(kept.skills).toEqual([read, skill]);
    expect(problems.join()).toContain(problem);
  });

  it('loses only the entries that cannot be read at all', () => {
    const odd = { ...card, skills: ['dates', {}, skill, 7], supportedInterfaces: [jsonRpc, { url: 5 }, null] };
    const { card: read, problems } = readForeignCard(odd);
    expect([read.skills, read.supportedInterfaces]).toEqual([[skill], [jsonRpc]]);
    expect(problems.length).toBeGreaterThan(3);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'JaVaScRiPt:x', '/icon.png', 7])(
    'loses links that are not http or https: %s',
    (link) => {
      const provider = { url: link, organization: 'Evil' };
      const { card: read, problems } = readForeignCard({ ...card, provider, documentationUrl: link, iconUrl: link });
      expect(read).not.toHaveProperty('iconUrl');
      expect(read).not.toHaveProperty('documentationUrl');
      expect(read).not.toHaveProperty('provider');
      expect(problems.join()).toContain('iconUrl must be');
    },
  );

  it.each([[null], ['x'], [[]], [{}], [{ error: 'not found' }]])('is not %j', (value) => {
    expect(() => readForeignCard(value)).toThrow();
  });

  it('with a thousand faults is read in time, and names twenty of them', () => {
    const skills = Array.from({ length: 1000 }, () => ({ id: 5, tags: 'x', examples: 7 }));
    const { card: read, problems } = readForeignCard({ ...card, skills });
    expect(read.skills).toEqual([]);
    expect(problems).toHaveLength(20);
  });
});
