import { remoteAgent } from '@switchyard/executor-remote';
import { cardUrl } from './config.ts';

/** The agent with this card, behind a queue. */
export default await remoteAgent({ id: 'almanac', cardUrl });
