import type { Db } from '../../../kernel/db.ts'
import { walletNotFound } from '../errors.ts'
import { type Wallet, findOwnedWallet } from '../store.ts'

/** A wallet of this account that has not ended. Every other one looks as if it did not exist. */
export async function getOwnedWallet(db: Db, accountId: string, address: string): Promise<Wallet> {
  const wallet = await findOwnedWallet(db, accountId, address)
  if (!wallet) throw walletNotFound()
  return wallet
}
