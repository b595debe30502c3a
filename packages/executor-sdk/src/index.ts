export { ForeignIds, StableIds } from './mirror/artifact-ids.ts';
export { coalesced } from './mirror/coalesced.ts';
export { Mirror } from './mirror/mirror.ts';
export { noContext, readSdkEvent, readSdkMessage, readSdkTask } from './mirror/read-sdk.ts';
export { sdkExecutor } from './sdk-executor.ts';
