export { type ApiKeyParts, apiKeyParts, secretHash } from './api-key.ts';
export { type AuditAction, type AuditEvent, auditActions } from './audit-event.ts';
export { AuditTrail, auditKey } from './audit-trail.ts';
export { type Credential, Credentials } from './credentials.ts';
