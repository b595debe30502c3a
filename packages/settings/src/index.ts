export { readCommandLine, UsageError } from './command-line.ts';
export { hasKey, readOperatorKey } from './keys/operator-key.ts';
export { readSigningKeys } from './keys/read-signing-keys.ts';
export type { PublicJwk, SigningKey } from './keys/signing-key.ts';
export { type Environment, Settings, SettingsError, type ValuesOf } from './read-settings.ts';
export { fullTables, shortTable } from './settings-table.ts';
export { sharedAssignments } from './shared-settings.ts';
export { storeSettings } from './store-settings.ts';
export { unknownSettings, unknownSettingText } from './unknown-settings.ts';
