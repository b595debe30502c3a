/** Of a Redis Cluster. */
export const SLOTS = 16_384;

/** What Redis Cluster hashes of the name of a key or channel of ours. */
export function hashTagOf(name: string): string {
  const begin = name.indexOf('{');
  return name.slice(begin + 1, name.indexOf('}', begin));
}

/** The slot of Redis Cluster that keys and channels with this hash tag have. */
export const slotOf = (hashTag: string): number => crc16(hashTag) % SLOTS;

/**
 * A key that never exists, with the hash tag of another one. In a Cluster each script names it besides its own keys.
 * While a slot moves to another master, key by key, Redis refuses a script if one of the keys that it names is missing,
 * before it runs: so it cannot fail after some writes at a key that it computes and that has moved already.
 */
export function guardKey(key: string): string {
  return keyBeside(key, 'guard');
}

/** A key with the prefix and the hash tag of another one, so that both have one slot. */
export function keyBeside(key: string, name: string): string {
  return `${key.slice(0, key.indexOf('}') + 1)}:${name}`;
}

/** CRC-16/XMODEM, the hash of Redis Cluster. */
export function crc16(text: string): number {
  let crc = 0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc;
}
