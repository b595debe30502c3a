/**
 * CONFORMANCE_OFF: what the card does not offer, so that the refusals can be tested too: `streaming,push,extensions`.
 */
const off = new Set((process.env.CONFORMANCE_OFF ?? '').split(','));

export const offers = (capability: 'streaming' | 'push' | 'extensions'): boolean => !off.has(capability);

/** CONFORMANCE_REQUIRED_EXTENSION=true: the agent takes messages only from clients that know the kit's extension. */
export const requiresExtension = process.env.CONFORMANCE_REQUIRED_EXTENSION === 'true';
