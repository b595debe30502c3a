import { BlockList } from 'node:net';

/**
 * IPv4 networks that are not the public internet (IANA's special-purpose addresses, RFC 6890): this network, private,
 * shared (carrier-grade NAT), loopback, link-local (metadata services of clouds), protocol assignments, documentation,
 * 6to4 relays, benchmarks, multicast, reserved and broadcast. The last entry is Azure's metadata service, which has a
 * public address.
 */
const IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32],
] as const;

/** IPv6 networks within 2000::/3 that are not public: protocol assignments (such as Teredo), documentation, 6to4. */
const IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

/** Prefixes of IPv6 addresses that contain an IPv4 address: mapped (RFC 4291) and NAT64 (RFC 6052). */
const IPV4_PREFIXES = ['::ffff:', '64:ff9b::'];

/** Networks that are not the public internet. */
export const specialNetworks = new BlockList();
/** IPv6 networks that may be public. All others (loopback, unique local, link-local, multicast …) are not. */
export const publicIpv6Networks = new BlockList();

for (const [network, bits] of IPV4) {
  specialNetworks.addSubnet(network, bits, 'ipv4');
  for (const prefix of IPV4_PREFIXES) specialNetworks.addSubnet(prefix + network, 96 + bits, 'ipv6');
}
for (const [network, bits] of IPV6) specialNetworks.addSubnet(network, bits, 'ipv6');
publicIpv6Networks.addSubnet('2000::', 3, 'ipv6');
for (const prefix of IPV4_PREFIXES) publicIpv6Networks.addSubnet(`${prefix}0.0.0.0`, 96, 'ipv6');
