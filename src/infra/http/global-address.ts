import { BlockList, isIP } from 'node:net'

/** IPv4 networks that are private, local, reserved or for documentation, or that are translated to such networks. */
const NOT_GLOBAL_4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`
/** Reserved networks inside the global IPv6 range. 2001::/23 includes Teredo, which can carry any IPv4 address. */
const NOT_GLOBAL_6 = `2001::/23 2001:db8::/32 2002::/16 3fff::/20`
/**
 * All other IPv6 addresses are local, reserved or another form of an IPv4 address: ::1, fc00::/7, fe80::/10,
 * ::ffff:0:0/96, 64:ff9b::/96 … No public name needs them.
 */
const GLOBAL_6 = '2000::/3'

const blocked4 = toList(NOT_GLOBAL_4, 'ipv4')
const blocked6 = toList(NOT_GLOBAL_6, 'ipv6')
const global6 = toList(GLOBAL_6, 'ipv6')

function toList(networks: string, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks.split(/\s+/)) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Whether an address belongs to the public internet; false if it cannot be parsed. */
export function isGlobalAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !blocked4.check(address, 'ipv4')
    case 6:
      return global6.check(address, 'ipv6') && !blocked6.check(address, 'ipv6')
    default:
      return false
  }
}
