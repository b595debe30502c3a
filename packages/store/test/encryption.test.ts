import { describe, expect, test } from 'vitest';
import { Encryption, Unreadable } from '../src/encryption/encryption.ts';

const text = '{"url":"https://example.com","token":"hush"}';

describe('the encryption', () => {
  test('decrypts what it has encrypted; the encrypted text does not contain the plain text', () => {
    const encryption = new Encryption(['a secret']);
    const encrypted = encryption.encrypt(text, 'task');
    expect(encrypted).not.toContain('hush');
    expect(encryption.encrypt(text, 'task')).not.toBe(encrypted);
    expect(encryption.decrypt(encrypted, 'task')).toBe(text);
  });

  test('after a rotation decrypts with the old secret, and encrypts with the new one', () => {
    const encrypted = new Encryption(['old']).encrypt(text, 'task');
    const rotated = new Encryption(['new', 'old']);
    expect(rotated.decrypt(encrypted, 'task')).toBe(text);
    expect(() => new Encryption(['old']).decrypt(rotated.encrypt(text, 'task'), 'task')).toThrow(Unreadable);
  });

  test('does not decrypt a text that was changed, or that belongs to another task', () => {
    const encryption = new Encryption(['a secret']);
    const encrypted = encryption.encrypt(text, 'task');
    const changed = encrypted.slice(0, -6) + (encrypted.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA');
    expect(() => encryption.decrypt(changed, 'task')).toThrow(Unreadable);
    expect(() => encryption.decrypt(encrypted, 'another task')).toThrow(Unreadable);
  });

  test('without a secret stores plain texts, which can be read also after a secret was set', () => {
    const encrypted = new Encryption([]).encrypt(text, 'task');
    expect(encrypted).toBe(`:${text}`);
    expect(new Encryption(['a secret']).decrypt(encrypted, 'task')).toBe(text);
  });
});
