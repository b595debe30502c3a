declare module '*.css';

/** Node's: the protocol rewrites base64url by it, which no gateway sends. */
declare const Buffer: { from(text: string, encoding: 'base64'): { toString(encoding: 'base64'): string } };
