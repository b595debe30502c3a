export { type MigrationEvent, Migrator } from './migrator.ts';
export { inspectSchema, Schema, type SchemaReading } from './schema.ts';
export { schema, version } from './version.ts';
