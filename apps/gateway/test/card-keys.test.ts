import { describe, expect, it } from 'vitest';
import { jwkText, privateKeys } from '../../../tests/support/keys.ts';
import { readConfig } from '../src/config.ts';

describe('the keys of agent cards', () => {
  const key = jwkText(privateKeys.ES256());
  const other = jwkText(privateKeys.RS256());

  it('are given as single files or as a list', () => {
    const { gateway } = readConfig({
      PUBLIC_URL: 'https://a.example',
      CARD_SIGNING_KEY: key,
      CARD_SIGNING_KEYS: `[${other}]`,
    });
    expect(gateway.cardSigningKeys.map(({ algorithm }) => algorithm)).toEqual(['ES256', 'RS256']);
  });

  it('require a public URL, since cards are signed for one host only', () => {
    expect(() => readConfig({ CARD_SIGNING_KEY: key })).toThrow(/PUBLIC_URL: is required for signing/);
  });

  it('are named in errors, but not quoted', () => {
    const wrong = { PUBLIC_URL: 'https://a.example', CARD_SIGNING_KEY: '{"kty":"topsecret"}' };
    expect(() => readConfig(wrong)).toThrow(/CARD_SIGNING_KEY: key 1 is not a readable private key/);
    expect(() => readConfig(wrong)).not.toThrow(/topsecret/);
  });
});
