/** The policy does not allow a URL, or an address of its host. The message names no address: clients may see it. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  /** The URL itself is refused, by its text: that says nothing of what is at its address. */
  readonly isOfUrl: boolean;

  constructor(message: string, { isOfUrl = false }: { readonly isOfUrl?: boolean } = {}) {
    super(message);
    this.isOfUrl = isOfUrl;
  }
}

/** A response that is not read to its end, because it is too long or compressed. */
export class ResponseRefused extends Error {
  override readonly name = 'ResponseRefused';
}
