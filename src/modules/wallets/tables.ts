import type { SendPurpose } from './purposes.ts'

/** A ledger account whose key we keep. `fence` changes with every holder of its lease. */
export interface WalletsTable {
  id: string
  /** Whose it is; the service's own wallets belong to no account. */
  account_id: string | null
  purpose: string
  address: string
  status: 'active' | 'held' | 'expiring' | 'ended' | 'deleted'
  /** What an expiring wallet becomes. */
  ends_as: 'ended' | 'deleted' | null
  /** JSON: an address or a list of them, as it was given. */
  refund_address: string | null
  metadata: string | null
  /** None for wallets that do not end. */
  expires_at: number | null
  /** Our own word for where its chain stands: the last confirmed block, 64 zeros before the first, and its balance. */
  frontier: string
  balance_raw: string
  lease_until: number
  fence: number
  /** Set once another signer has been seen on its chain: nothing is signed any more. */
  frozen_at: number | null
  frozen_reason: string | null
  /** When a person let it go on; until the ledger's word is taken over. */
  thawed_at: number | null
  /** The first block of its chain that all nodes deny and that can never be confirmed then; since when, and by how many rounds. */
  denied_hash: string | null
  denied_at: number | null
  denied_rounds: number
  /** When blocks of it were released, until a later block has been confirmed: from then on those can never be. */
  voided_at: number | null
  /** When the ledger was last asked for deposits and foreign blocks. */
  looked_at: number
  created_at: number
  ended_at: number | null
}

/** Apart from the wallets, so that no look at a wallet ever carries a key along. */
interface WalletKeysTable {
  wallet_id: string
  version: number
  master_key_id: string
  wrapped_data_key: string
  sealed_key: string
}

/** A known text sealed by each master key: a wrong key is told before it does harm. */
interface WalletCanariesTable {
  master_key_id: string
  wrapped_data_key: string
  sealed_key: string
  created_at: number
}

/** How what an ending wallet holds is shared out, fixed before the first send. */
interface WalletPlansTable {
  id: string
  wallet_id: string
  run: number
  /** The block whose balance is shared out. */
  frontier: string
  total_raw: string
  status: 'open' | 'done'
  created_at: number
  finished_at: number | null
}

/** The outbox: every block of every wallet, from the wish to the confirmation. */
export interface WalletBlocksTable {
  id: string
  wallet_id: string
  /** Who asked for it; none for what the service does by itself. */
  account_id: string | null
  kind: 'send' | 'receive'
  /** What a send is for; none in rows of 0.2, and for receives. */
  purpose: SendPurpose | null
  status: 'queued' | 'signed' | 'broadcast' | 'confirmed' | 'refused' | 'lost' | 'void'
  /** Address that gets a send. */
  destination: string | null
  /** Send that is received, and who sent it. */
  source_hash: string | null
  source_address: string | null
  /** None while everything is to be sent and the amount is not known yet. */
  amount_raw: string | null
  /** 1 when everything was asked for, whatever that came to. */
  sends_all: number
  /** Order in which the blocks of a wallet were asked for. */
  sequence: number
  plan_id: string | null
  /** Order among the shares of a plan. */
  position: number
  /** Makes a send unique for its caller: the same reference is the same block. */
  reference: string | null
  /** A send that has not left by then is refused; none for what must happen. */
  deadline_at: number | null
  previous: string | null
  hash: string | null
  /** Balance of the wallet after it. */
  balance_raw: string | null
  /** The signed block as JSON. */
  block: string | null
  /** Code of the refusal. */
  refusal: string | null
  created_at: number
  signed_at: number | null
  broadcast_at: number | null
  confirmed_at: number | null
}

/** Whose sends an operator has stopped: `all`, or an account. */
interface SendFreezesTable {
  scope: string
  reason: string
  frozen_by: string
  created_at: number
}

export interface WalletTables {
  wallets: WalletsTable
  wallet_keys: WalletKeysTable
  wallet_canaries: WalletCanariesTable
  wallet_plans: WalletPlansTable
  wallet_blocks: WalletBlocksTable
  send_freezes: SendFreezesTable
}

/** In an order in which references are already there. */
export const WALLET_TABLES = [
  'wallets',
  'wallet_keys',
  'wallet_canaries',
  'wallet_plans',
  'wallet_blocks',
  'send_freezes',
] as const satisfies readonly (keyof WalletTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends WalletTables {}
}
