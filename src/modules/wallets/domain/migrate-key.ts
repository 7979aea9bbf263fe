import type { Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { toAddress } from '../../../kernel/nano/address.ts'
import { toSigningKey } from '../../../kernel/nano/keys.ts'
import { insertAudit } from '../../accounts/index.ts'
import { type OldKeyWallet, markSucceeded } from '../old-keys-store.ts'
import { findWallet, insertWallet, lockUsableWallet } from '../store.ts'
import { takeKey } from './seeds.ts'
import type { WordsCtx } from './words.ts'

/**
 * Whether a wallet can be replaced by one with a derived key. Only wallets of accounts can: others still pay to the addresses of the service's own
 * wallets.
 */
export const canMove = ({ purpose }: Pick<OldKeyWallet, 'purpose'>) => purpose === 'cloud'

export interface Moved {
  id: string
  from: string
  to: string
}

/**
 * Makes a wallet with a derived key that replaces a cloud wallet of the same owner. The older wallet ends, and sends its balance and whatever still
 * arrives to the new one. The gateway does this as for every ended wallet, as soon as sends are allowed.
 */
export async function migrateKey(ctx: WordsCtx, wallet: OldKeyWallet, actor: Actor): Promise<Moved> {
  const { id: oldId, address: from } = wallet
  if (!canMove(wallet)) throw new AppError('conflict', 'Only cloud wallets can move to another key.')
  const { key, place, giveBack } = await takeKey(ctx)
  let wasKept = false
  try {
    const id = ctx.ids.next('wal')
    const to = toAddress(toSigningKey(key).publicKey)
    await inTx(ctx, async (tx) => {
      if (!(await lockUsableWallet(tx.db, oldId)))
        throw new AppError('conflict', `${oldId} is frozen, or ends already.`)
      const { accountId, refundAddress, metadata, expiresAt } = (await findWallet(tx.db, oldId))!
      await markSucceeded(tx.db, oldId, to)
      const terms = { accountId, purpose: 'cloud', refundAddress, metadata, expiresAt }
      wasKept = true
      const encrypted = { ...ctx.vault.encrypt({ walletId: id, address: to }, key), ...place }
      await insertWallet(tx.db, { id, address: to, ...terms, createdAt: tx.clock.now() }, encrypted)
      await insertAudit(tx, { actor, accountId, what: 'wallet.moved', detail: { address: from, to } })
      if (accountId !== null) tx.notifyAccount(accountId, ['wallets:read'])
    })
    return { id, from, to }
  } finally {
    key.fill(0)
    if (!wasKept) await giveBack()
  }
}
