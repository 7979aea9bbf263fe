/**
 * Whom a block pays, or which send it receives, as a node announces it by websocket. Old kinds of blocks have members of their
 * own. It says where to look, and nothing else: money is read with `readSends`.
 */
export function announcedBlock(block: Readonly<Record<string, string>>): {
  to?: string | undefined
  source?: string | undefined
} {
  const { type, subtype, link, link_as_account: linked, destination, source } = block
  const to = type === 'send' ? destination : subtype === 'send' ? linked : undefined
  const received = type === 'receive' || type === 'open' ? source : subtype === 'receive' ? link : undefined
  return { to, source: received?.toUpperCase() }
}
