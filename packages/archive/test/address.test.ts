import { expect, it } from 'vitest';
import { parseAddress } from '../src/address.ts';

it.each([
  ['postgres://u:p@host:5432/tasks', 'postgres://u:p@host:5432/tasks', 'switchyard'],
  ['postgresql://host/tasks?schema=own', 'postgresql://host/tasks', 'own'],
  ['postgres://host/tasks?schema=', 'postgres://host/tasks', 'switchyard'],
  ['postgres://host/tasks?sslmode=verify-full&schema=a%20b', 'postgres://host/tasks?sslmode=verify-full', 'a b'],
  ['postgres://host/tasks?sslmode=require', 'postgres://host/tasks?sslmode=verify-full', 'switchyard'],
  ['postgres://host/tasks?sslmode=no-verify', 'postgres://host/tasks?sslmode=no-verify', 'switchyard'],
  ['postgres://u@/tasks?host=/run/postgresql', 'postgres://u@/tasks?host=%2Frun%2Fpostgresql', 'switchyard'],
])('takes the schema out of %s', (given, url, schema) => {
  expect(parseAddress(given)).toEqual({ url, schema });
});

it('prefers the schema of the settings', () => {
  expect(parseAddress('postgres://host/tasks?schema=a', 'b')).toEqual({ url: 'postgres://host/tasks', schema: 'b' });
});

it.each(['prefer', 'allow', 'on'])('refuses sslmode=%s, which does not say whether TLS is demanded', (word) => {
  expect(() => parseAddress(`postgres://u:secret@host/tasks?sslmode=${word}`)).toThrow(/^ARCHIVE_URL has.*verify-full/);
});
