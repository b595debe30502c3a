export { sdkExecutor } from './sdk-executor.ts';
