import { describe, expect, it } from 'vitest';
import { agentThat } from '../../../tests/support/agent-that.ts';

const skill = (id: string, name = id) => ({ id, name, description: name, tags: ['test'] });
const extension = (uri: string, description: string) => ({ uri, description });
const draft = {
  name: 'Desk',
  description: 'A desk',
  version: '1',
  skills: [skill('a'), skill('b')],
  capabilities: { extensions: [extension('urn:a', 'one')] },
};
const agentWith = (extendedCard: object) => agentThat((turn) => turn.complete(), { card: draft, extendedCard });

describe('The extended card of an agent', () => {
  it('adds skills and extensions to those of the card, and replaces those with the same id or URI', () => {
    const { card, extendedCard } = agentWith({
      skills: [skill('b', 'better'), skill('c')],
      capabilities: { extensions: [extension('urn:a', 'two'), extension('urn:b', 'three')] },
    });
    expect(extendedCard?.skills.map(({ id, name }) => [id, name])).toEqual([
      ['a', 'a'],
      ['b', 'better'],
      ['c', 'c'],
    ]);
    expect(extendedCard?.capabilities.extensions?.map(({ description }) => description)).toEqual(['two', 'three']);
    expect(card.skills).toHaveLength(2);
  });

  it('replaces all other fields', () => {
    expect(agentWith({ description: 'The whole desk' })).toMatchObject({
      card: { description: 'A desk' },
      extendedCard: { description: 'The whole desk', name: 'Desk', skills: draft.skills },
    });
  });

  it('does not exist unless the author defines one', () => {
    expect(agentThat((turn) => turn.complete(), { card: draft })).not.toHaveProperty('extendedCard');
  });

  it('is validated like the card', () => {
    expect(() => agentWith({ version: '' })).toThrow(/extendedCard\.version: /);
  });

  it('is not blamed for what is wrong with the card', () => {
    const card = { ...draft, version: '', descripton: 'A desk' };
    const define = () => agentThat((turn) => turn.complete(), { card, extendedCard: { name: '' } });
    expect(define).toThrow(/its card\.descripton is unknown .*; card\.version: .*; extendedCard\.name: /);
    expect(define).not.toThrow(/extendedCard\.(?:descripton|version)/);
  });
});
