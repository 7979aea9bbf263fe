import type { WalletsTable } from './store.ts'
import type { WalletBlocksTable } from './outbox-store.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    wallets: WalletsTable
    /** A separate table, so that reading a wallet never reads its key. */
    wallet_keys: {
      wallet_id: string
      version: number
      master_key_id: string
      wrapped_data_key: string
      sealed_key: string
      /** The seed that the key is derived from, and its place; null for random keys, which exist nowhere else. */
      seed_id: string | null
      seed_index: number | null
    }
    /** A known text encrypted with each master key, which reveals a wrong key before it does harm. */
    wallet_canaries: {
      master_key_id: string
      wrapped_data_key: string
      sealed_key: string
      created_at: number
    }
    /** A seed from which keys of wallets are derived. */
    wallet_seeds: {
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
    wallet_seed_seals: {
      seed_id: string
      master_key_id: string
      wrapped_data_key: string
      sealed_key: string
    }
    /** How an ending wallet's balance is paid out, fixed before the first send. */
    wallet_plans: {
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
    wallet_blocks: WalletBlocksTable
    /** Sends that an operator has stopped: of `all`, or of an account. */
    send_freezes: {
      scope: string
      reason: string
      frozen_by: string
      created_at: number
    }
    /** A return to a backup, from when it was noticed until the operator has settled what was sent since. */
    store_restores: {
      id: string
      /** 1 until it is settled, otherwise null. */
      unsettled: number | null
      reason: string
      created_at: number
      settled_at: number | null
    }
  }
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
] as const
