/**
 * The recipient of an announced block, or the send that it receives; old types of blocks have other members. Nothing
 * here is trusted: it only says where to look, and payments are read with `readSends`.
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
