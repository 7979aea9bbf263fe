import { findWalletByAddress } from '../../wallets/index.ts'
import { addressInUse, addressKnown } from '../errors.ts'
import type { AddressLook } from '../ports.ts'
import type { Checkout } from '../record.ts'
import type { CheckoutRoom } from '../room.ts'
import { hasOrders, holdAddress, isAddressKnown } from '../watch-store.ts'

/** Who names the address: a secret key, a public key by a template that a secret key made, or a caller without an account. */
export type NamedBy = 'secret-key' | 'public-key' | 'anonymous'

/**
 * A checkout that sums has its address to itself (contract 2, rule 25). Asked in the transaction that writes it down, while the
 * address is held: of two at once, the second sees the first.
 */
export async function requireOwnAddress(
  { db, clock }: CheckoutRoom,
  { id, address, owner, mode }: Checkout,
  { namedBy, seen }: { namedBy: NamedBy; seen: AddressLook | undefined },
): Promise<void> {
  if (mode !== 'unique_address') return
  await holdAddress(db, address)
  if (namedBy === 'anonymous') {
    const isOnLedger = seen !== undefined && (seen.height > 0 || seen.waiting.length > 0)
    const isKnown = isOnLedger || (await isAddressKnown(db, { address, id }))
    if (isKnown || (await findWalletByAddress(db, address))) throw addressKnown()
    return
  }
  // Anybody can hold a public key or a link of the account: what they made keeps no secret key away.
  const ofStrangersToo = namedBy !== 'secret-key'
  if (await hasOrders(db, { address, owner, id, now: clock.now(), ofStrangersToo })) throw addressInUse()
}
