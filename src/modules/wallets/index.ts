export type { WalletContext } from './context.ts'
export { readDeposits } from './domain/chain.ts'
export { type NewWallet, alongWallet, createWallet, listWallets } from './domain/wallets.ts'
export { deleteWallet } from './domain/end-wallet.ts'
export { rewrapKeys } from './domain/master-keys.ts'
export { type QueuedSend } from './domain/queue-send.ts'
export { splitShares } from './domain/shares.ts'
export { freezeSends, unfreezeSends } from './domain/freeze-sends.ts'
export { type AskLedger, lookAhead } from './domain/look-ahead.ts'
export { type Moved, staysBecause, migrateKey } from './domain/migrate-key.ts'
export { assignWallet, recoverWallets } from './domain/recover.ts'
export { type WordsCtx, adoptWords, checkWords, replaceSeed, showWords } from './domain/words.ts'
export { listUnknownSends } from './domain/unknown-sends.ts'
export { declareRestore, settleRestore } from './domain/restores.ts'
export { unfreezeWallet } from './domain/unfreeze.ts'
export { type Payment, findPayment, queuePayment, treasury, untilPaid } from './domain/treasury.ts'
export { type Funds, listDeposits, lockFunds } from './funds-store.ts'
export { referenceReused, refusedSend } from './errors.ts'
export { type SendFreeze, listFreezes } from './freezes-store.ts'
export { type FrozenWallet, listFrozen } from './frozen-store.ts'
export { type OutboxBlock, findBlock, findPayees } from './outbox-store.ts'
export { type OldKeyWallet, listOldKeys } from './old-keys-store.ts'
export { findRestore } from './restores-store.ts'
export { listSeeds } from './seeds-store.ts'
export { countByMasterKey } from './keys-store.ts'
export {
  type Wallet,
  findOwnedWallet,
  listOwnedWallets,
  findServiceWallet,
  findWallet,
  findWalletByAddress,
  listHolding,
  lockUsableWallet,
} from './store.ts'
export { markExpiring } from './ending-store.ts'
