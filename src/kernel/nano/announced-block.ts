/**
 * The receiver of a block, or the send that it receives, as a node announces it by websocket. Old kinds of blocks have members of their
 * own. The result only says where to look, and is never believed: money is read with `readSends`.
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
