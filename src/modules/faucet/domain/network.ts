/** The network that claims are counted for: /24 of version 4, /48 of version 6. Version 6 comes as a /64 already. */
export function networkOf(ip: string): string {
  if (ip.includes(':')) return `${ip.split(':').slice(0, 3).join(':')}::/48`
  const parts = ip.split('.')
  return parts.length === 4 ? `${parts.slice(0, 3).join('.')}.0/24` : ip
}
