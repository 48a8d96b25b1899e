/** The network of an address, by which unauthenticated callers and connections are counted; lists of networks; public addresses. */
import { lookup as lookUp } from 'node:dns/promises'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'

/** An IPv6 address counts as its /64 network, because one subscriber usually has all of it; IPv4 counts as itself. */
export function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  const groups = [...first, ...(tail === undefined ? [] : zeros), ...last].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** A list of addresses and networks such as 10.0.0.0/8 that can be searched; it finds 10.0.0.1 also as ::ffff:10.0.0.1. */
export function networksOf(entries: readonly string[]): BlockList {
  const networks = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) networks.addAddress(address, family)
    else networks.addSubnet(address, Number(bits), family)
  }
  return networks
}

/** Addresses that are not on the public internet (the IANA registries of special-purpose addresses). */
const PRIVATE_V4 = networksOf([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
])
const PUBLIC_V6 = networksOf(['2000::/3'])
const PRIVATE_V6 = networksOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !PRIVATE_V4.check(address, 'ipv4')
    case 6:
      return PUBLIC_V6.check(address, 'ipv6') && !PRIVATE_V6.check(address, 'ipv6')
    default:
      return false
  }
}

/** Whether a list has an address. */
export const isAmong = (networks: BlockList, address: string): boolean =>
  networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

export interface LookedUp {
  /** None if the host is unknown. */
  readonly addresses: readonly string[]
  /** Makes a connection go to these addresses, whatever the name server says by then. */
  readonly lookup: LookupFunction
}

export async function lookUpOnce(hostname: string): Promise<LookedUp> {
  const found = await lookUp(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => [])
  const [first = { address: '', family: 4 }] = found
  return {
    addresses: found.map(({ address }) => address),
    lookup: (_host, options, done) => (options.all ? done(null, found) : done(null, first.address, first.family)),
  }
}
