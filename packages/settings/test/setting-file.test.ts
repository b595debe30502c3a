import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCertificates, readJsonFile, readOperatorKey, readSettingFile } from '../src/index.ts';

let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-setting-file-'));
  mkdirSync(path('folder'));
  writeFileSync(path('empty'), '');
  writeFileSync(path('short'), 'secret');
  writeFileSync(path('half'), '{\n  "secret" 1 }');
  writeFileSync(path('damaged.pem'), '-----BEGIN CERTIFICATE-----\nsecret\n-----END CERTIFICATE-----\n');
});

afterAll(() => rmSync(folder, { recursive: true }));

it.each<[what: string, read: () => unknown, says: RegExp]>([
  ['is missing', () => readSettingFile(path('none')), /none cannot be read: there is no such file \(ENOENT\)$/],
  ['is a folder', () => readSettingFile(path('folder')), /folder cannot be read: it is a folder \(EISDIR\)$/],
  ['is below a file', () => readSettingFile(path('short/a')), /a part of its path is no folder \(ENOTDIR\)$/],
  ['is empty instead of a key', () => readOperatorKey('', path('empty')), /empty is empty$/],
  ['has a short key', () => readOperatorKey('', path('short')), /the key in .*short must have at least 16 characters$/],
  ['is empty instead of JSON', () => readJsonFile(path('empty')), /empty is empty$/],
  ['is half of JSON', () => readJsonFile(path('half')), /half is not JSON \(line 2 column \d+\)$/],
  ['is empty instead of a certificate', () => readCertificates(path('empty')), /empty is empty$/],
  ['has no certificate', () => readCertificates(path('short')), /short contains no PEM certificate$/],
  ['has a damaged one', () => readCertificates(path('damaged.pem')), /certificate 1 in .*damaged.pem is damaged$/],
])('a file that %s is refused with its path and the reason, without what it has', (_, read, says) => {
  expect(read).toThrow(says);
  expect(read).not.toThrow(/secret/);
});
