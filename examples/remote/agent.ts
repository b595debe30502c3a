import { remoteAgent } from '@switchyard/executor-remote';
import { cardUrl } from './config.ts';

/** Whatever agent has its card there, behind a queue. */
export default await remoteAgent({ id: 'almanac', cardUrl });
