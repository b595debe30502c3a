/** CONFORMANCE_OFF: capabilities to remove from the card, to test the errors: `streaming,push,extensions`. */
const off = new Set((process.env.CONFORMANCE_OFF ?? '').split(','));

export const offers = (capability: 'streaming' | 'push' | 'extensions'): boolean => !off.has(capability);

/** CONFORMANCE_REQUIRED_EXTENSION=true: the card requires the kit's extension. */
export const requiresExtension = process.env.CONFORMANCE_REQUIRED_EXTENSION === 'true';
