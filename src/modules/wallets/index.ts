export type { WalletRoom } from './room.ts'
export { readDeposits } from './domain/chain.ts'
export { createWallet } from './domain/create-wallet.ts'
export { deleteWallet } from './domain/end-wallet.ts'
export { listWallets } from './domain/list-wallets.ts'
export { getOwnedWallet } from './domain/owned-wallet.ts'
export { proveMasterKeys, rewrapKeys } from './domain/master-keys.ts'
export { readBalance } from './domain/read-balance.ts'
export { receiveDeposits } from './domain/receive.ts'
export { sendFromWallet } from './domain/send.ts'
export { splitShares } from './domain/shares.ts'
export { thawWallet } from './domain/thaw.ts'
export { type Payment, findPayment, queuePayment, treasury, untilPaid } from './domain/treasury.ts'
export { type Funds, listDeposits, lockFunds } from './funds-store.ts'
export { WALLET_ACTIONS, type WalletsModule, openWallets } from './open.ts'
export { countOpenBlocks, listBlocks } from './outbox-store.ts'
export { readRefundAddress } from './refund-addresses.ts'
export { listFrozen } from './frozen-store.ts'
export { countByMasterKey } from './keys-store.ts'
export {
  type Wallet,
  countByStatus,
  findServiceWallet,
  findWallet,
  findWalletByAddress,
  listWatched,
  markExpiring,
} from './store.ts'
