/** Agents as the command finds them, for `npm run load`. */
export { CommandFailure } from '../failures/failure.ts';
export { readCard } from './card.ts';
export { chooseInterface } from './choose-interface.ts';
export { credentialsFor } from './credentials.ts';
export { wireFetch } from './wire.ts';
