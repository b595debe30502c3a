import { describe, expect, test } from 'vitest';
import { Unreadable, Vault } from '../src/vault/vault.ts';

const text = '{"url":"https://example.com","token":"hush"}';

describe('the vault', () => {
  test('opens what it sealed, and shows nothing of it', () => {
    const vault = new Vault(['a secret']);
    const sealed = vault.seal(text, 'task');
    expect(sealed).not.toContain('hush');
    expect(vault.seal(text, 'task')).not.toBe(sealed);
    expect(vault.open(sealed, 'task')).toBe(text);
  });

  test('opens after a rotation what the old secret sealed, and seals with the new one', () => {
    const sealed = new Vault(['old']).seal(text, 'task');
    const rotated = new Vault(['new', 'old']);
    expect(rotated.open(sealed, 'task')).toBe(text);
    expect(() => new Vault(['old']).open(rotated.seal(text, 'task'), 'task')).toThrow(Unreadable);
  });

  test('decrypts nothing that was changed, or that belongs to another task', () => {
    const vault = new Vault(['a secret']);
    const sealed = vault.seal(text, 'task');
    const changed = sealed.slice(0, -6) + (sealed.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA');
    expect(() => vault.open(changed, 'task')).toThrow(Unreadable);
    expect(() => vault.open(sealed, 'another task')).toThrow(Unreadable);
  });

  test('without a secret keeps texts in clear, and still reads them once there is one', () => {
    const sealed = new Vault([]).seal(text, 'task');
    expect(sealed).toBe(`:${text}`);
    expect(new Vault(['a secret']).open(sealed, 'task')).toBe(text);
  });
});
