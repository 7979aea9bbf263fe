import type { Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { toAddress } from '../../../kernel/nano/address.ts'
import { toSigningKey } from '../../../kernel/nano/keys.ts'
import { insertAudit } from '../../accounts/index.ts'
import { type OldKeyWallet, markSucceeded, owesSends } from '../old-keys-store.ts'
import { findWallet, insertWallet, lockUsableWallet } from '../store.ts'
import { takeKey } from './seeds.ts'
import type { WordsCtx } from './words.ts'

/** Wallets of orders and of email payments end soon, and until then somebody pays to their address or is paid from it. */
const STAYS: Readonly<Record<string, string>> = {
  checkout: 'its order is open, and somebody may pay to it; afterwards what it has goes to its merchant automatically',
  email: 'it holds an email payment, and is empty once that was claimed or has returned to its sender',
}

/** Why a wallet cannot be replaced by one with a derived key; undefined if it can. */
export const staysBecause = ({ purpose }: Pick<OldKeyWallet, 'purpose'>): string | undefined =>
  purpose === 'cloud' || purpose === 'treasury' ? undefined : (STAYS[purpose] ?? `it is a wallet for ${purpose}`)

export interface Moved {
  id: string
  from: string
  to: string
}

/**
 * Makes a wallet with a derived key that replaces a cloud wallet of the same owner, or the treasury. The older wallet ends, and sends its balance and whatever still
 * arrives to the new one. The gateway does this as for every ended wallet, as soon as sends are allowed.
 */
export async function migrateKey(ctx: WordsCtx, wallet: OldKeyWallet, actor: Actor): Promise<Moved> {
  const { id: oldId, address: from, purpose } = wallet
  const stays = staysBecause(wallet)
  if (stays !== undefined)
    throw new AppError('conflict', `${oldId} stays: ${stays}. Keep backups of the keys until then.`)
  const { key, place, giveBack } = await takeKey(ctx)
  let wasKept = false
  try {
    const id = ctx.ids.next('wal')
    const to = toAddress(toSigningKey(key).publicKey)
    await inTx(ctx, async (tx) => {
      if (!(await lockUsableWallet(tx.db, oldId)))
        throw new AppError('conflict', `${oldId} is frozen, or ends already.`)
      const { accountId, refundAddress, metadata, expiresAt } = (await findWallet(tx.db, oldId))!
      // What is queued is paid from here; what comes later is paid by the successor.
      if (purpose === 'treasury' && (await owesSends(tx.db, oldId)))
        throw new AppError(
          'conflict',
          'The treasury has payments queued: move it once they are sent. If they wait for money, fund it.',
        )
      await markSucceeded(tx.db, wallet, to)
      const terms = { accountId, purpose, refundAddress, metadata, expiresAt }
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
