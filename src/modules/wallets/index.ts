export type { WalletRoom } from './room.ts'
export { readDeposits } from './domain/chain.ts'
export { type NewWallet, alongWallet, createWallet } from './domain/create-wallet.ts'
export { deleteWallet } from './domain/end-wallet.ts'
export { listWallets } from './domain/list-wallets.ts'
export { rewrapKeys } from './domain/master-keys.ts'
export { type QueuedSend } from './domain/queue-send.ts'
export { splitShares } from './domain/shares.ts'
export { freezeSends, unfreezeSends } from './domain/freeze-sends.ts'
export { thawWallet } from './domain/thaw.ts'
export { type Payment, findPayment, queuePayment, treasury, untilPaid } from './domain/treasury.ts'
export { type Funds, listDeposits, lockFunds } from './funds-store.ts'
export { referenceReused, refusedSend } from './errors.ts'
export { type SendFreeze, listFreezes } from './freezes-store.ts'
export { type FrozenWallet, listFrozen } from './frozen-store.ts'
export { type OutboxBlock, findBlock, findPayees } from './outbox-store.ts'
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
  markExpiring,
} from './store.ts'
