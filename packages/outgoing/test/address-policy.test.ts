import { describe, expect, test } from 'vitest';
import { AddressPolicy } from '../src/index.ts';

const strict = new AddressPolicy({ allowHttp: false, allowHosts: [] });
const lenient = new AddressPolicy({
  allowHttp: true,
  allowHosts: ['127.0.0.0/8', 'fd12::/16', '10.1.2.3', 'hooks.test', '*.svc.cluster.local'],
});

describe('by default, the resolved address of a host', () => {
  test.each([
    ['8.8.8.8', 'IPv4'],
    ['100.63.255.255', 'just below the shared ones'],
    ['172.32.0.1', 'just behind the private ones'],
    ['2606:4700::1111', 'IPv6'],
    ['::ffff:8.8.8.8', 'IPv4, mapped'],
    ['64:ff9b::808:808', 'IPv4 behind NAT64'],
  ])('may be %s (%s)', (address) => {
    expect(strict.allows('example.com', address)).toBe(true);
  });

  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'metadata of a cloud'],
    ['168.63.129.16', 'metadata of Azure'],
    ['100.100.100.200', 'metadata of Alibaba, shared'],
    ['192.0.0.192', 'metadata of Oracle, protocol assignments'],
    ['100.64.0.1', 'shared'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'this network'],
    ['255.255.255.255', 'broadcast'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['198.18.0.1', 'benchmarks'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::7f00:1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'loopback, mapped'],
    ['::ffff:a00:1', 'private, mapped, in hexadecimal'],
    ['::ffff:0:a00:1', 'private, translated (RFC 6145)'],
    ['64:ff9b::10.0.0.1', 'private, behind NAT64'],
    ['64:ff9b::a9fe:a9fe', 'metadata, behind NAT64'],
    ['64:ff9b:1::a00:1', 'local NAT64'],
    ['2002:a00:1::', '6to4 of a private one'],
    ['2002:808:808::', '6to4'],
    ['2001:0:1::1', 'Teredo'],
    ['2001:db8::1', 'documentation'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata of AWS'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['100::1', 'discard'],
    ['5f00::1', 'segment routing'],
    ['localhost', 'not an address'],
  ])('may not be %s (%s)', (address) => {
    expect(strict.allows('example.com', address)).toBe(false);
  });

  test('may be one that the settings allow by network, address or host name', () => {
    expect(lenient.allows('example.com', '127.0.0.1')).toBe(true);
    expect(lenient.allows('example.com', '::ffff:127.0.0.1')).toBe(true);
    expect(lenient.allows('example.com', 'fd12::1')).toBe(true);
    expect(lenient.allows('example.com', '10.1.2.3')).toBe(true);
    expect(lenient.allows('example.com', '10.1.2.4')).toBe(false);
    expect(lenient.allows('HOOKS.test.', '10.9.9.9')).toBe(true);
    expect(lenient.allows('a.svc.cluster.local', '10.9.9.9')).toBe(true);
    expect(lenient.allows('svc.cluster.local', '10.9.9.9')).toBe(false);
    expect(lenient.allows('evilhooks.test', '10.9.9.9')).toBe(false);
  });
});

describe('the URL of a webhook', () => {
  test.each([
    ['http://example.com/', /https/],
    ['ftp://example.com/', /https/],
    ['https://me:secret@example.com/', /password/],
    ['https://127.0.0.1/', /private/],
    ['https://2130706433/', /private/],
    ['https://0x7f.1/', /private/],
    ['https://[::1]/', /private/],
    ['https://[::ffff:10.0.0.1]/', /private/],
    ['https://localhost/', /private/],
    ['https://a.localhost./', /private/],
    ['nowhere', /URL/],
  ])('may not be %s', (address, problem) => {
    expect(strict.problemOf(address)).toMatch(problem);
  });

  test('may be any other https URL, and what the settings allow', () => {
    expect(strict.problemOf('https://example.com:8443/hook?x=1')).toBeUndefined();
    expect(strict.problemOf('https://8.8.8.8/')).toBeUndefined();
    expect(lenient.problemOf('http://example.com/')).toBeUndefined();
    expect(lenient.problemOf('http://127.0.0.1:9/')).toBeUndefined();
    expect(lenient.problemOf('http://a.svc.cluster.local/')).toBeUndefined();
    expect(lenient.problemOf('http://localhost/')).toBeUndefined();
    expect(lenient.problemOf('http://10.0.0.1/')).toMatch(/private/);
  });

  test.each(['10.0.0.0/33', '10.0.0/8', '::1/129', '1.2.3.4/x'])(
    'cannot be allowed by the invalid setting %s, which is refused',
    (entry) => {
      expect(() => new AddressPolicy({ allowHttp: true, allowHosts: [entry] })).toThrow(RangeError);
    },
  );
});
