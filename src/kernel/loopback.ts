/** Whether a name or an address is local to this machine. */
export function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
  if (/^(::ffff:)?127(\.[0-9]{1,3}){3}$/.test(name)) return true
  return name === '::1' || name === 'localhost' || name.endsWith('.localhost')
}
