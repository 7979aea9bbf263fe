import type { WalletsTable } from './store.ts'
import type { WalletBlocksTable } from './outbox-store.ts'

/** A separate table, so that reading a wallet never reads its key. */
interface WalletKeysTable {
  wallet_id: string
  version: number
  master_key_id: string
  wrapped_data_key: string
  sealed_key: string
  /** The seed that the key is derived from, and its place; null for random keys, which exist nowhere else. */
  seed_id: string | null
  seed_index: number | null
}

/** A seed from which keys of wallets are derived. */
interface WalletSeedsTable {
  id: string
  /** 1 for the seed of new wallets, otherwise null. */
  active: number | null
  /** The place of the next key; it never goes back. */
  next_index: number
  /** When its words were shown, and when the operator has proved to have them. */
  shown_at: number | null
  checked_at: number | null
  created_at: number
}

/** A seed encrypted by one master key; each master key that the gateway has opens it. */
interface WalletSeedSealsTable {
  seed_id: string
  master_key_id: string
  wrapped_data_key: string
  sealed_key: string
}

/** A known text encrypted with each master key, which reveals a wrong key before it does harm. */
interface WalletCanariesTable {
  master_key_id: string
  wrapped_data_key: string
  sealed_key: string
  created_at: number
}

/** How an ending wallet's balance is paid out, fixed before the first send. */
interface WalletPlansTable {
  id: string
  wallet_id: string
  run: number
  /** The block whose balance is paid out. */
  frontier: string
  total_raw: string
  status: 'open' | 'done'
  created_at: number
  finished_at: number | null
}

/** Sends that an operator has stopped: of `all`, or of an account. */
interface SendFreezesTable {
  scope: string
  reason: string
  frozen_by: string
  created_at: number
}

/** A return to a backup, from when it was noticed until the operator has settled what was sent since. */
interface StoreRestoresTable {
  id: string
  /** 1 until it is settled, otherwise null. */
  unsettled: number | null
  reason: string
  created_at: number
  settled_at: number | null
}

export interface WalletTables {
  wallets: WalletsTable
  wallet_keys: WalletKeysTable
  wallet_canaries: WalletCanariesTable
  wallet_seeds: WalletSeedsTable
  wallet_seed_seals: WalletSeedSealsTable
  wallet_plans: WalletPlansTable
  wallet_blocks: WalletBlocksTable
  send_freezes: SendFreezesTable
  store_restores: StoreRestoresTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const WALLET_TABLES = [
  'wallets',
  'wallet_keys',
  'wallet_canaries',
  'wallet_seeds',
  'wallet_seed_seals',
  'wallet_plans',
  'wallet_blocks',
  'send_freezes',
  'store_restores',
] as const satisfies readonly (keyof WalletTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends WalletTables {}
}
