/**
 * What the policy has against a URL, or against an address that its host turned out to have. The message names no
 * address: clients may see it.
 */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** An answer that is not read to its end: too long, or compressed although that was not asked for. */
export class ResponseRefused extends Error {
  override readonly name = 'ResponseRefused';
}
