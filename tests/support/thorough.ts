/**
 * Whether random and exhaustive searches may take long: in `npm run test:faults`. `npm test` runs a shorter form of
 * the same files.
 */
export const isThorough = process.env.THOROUGH === '1';
