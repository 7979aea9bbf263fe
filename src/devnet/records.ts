import type { Raw } from '../kernel/money.ts'
import type { PublicKey } from '../kernel/nano/address.ts'
import type { Block } from '../kernel/nano/block.ts'
import type { Epoch } from '../kernel/nano/network.ts'

export type Subtype = 'send' | 'receive' | 'change' | 'epoch'

/** A block on the ledger with what the ledger knows about it. */
export interface StoredBlock {
  hash: string
  block: Block
  account: PublicKey
  balance: Raw
  /** Absolute change of the balance. */
  amount: Raw
  /** Undefined for the genesis block, which has an older type without subtypes. */
  subtype: Subtype | undefined
  height: number
  epoch: Epoch
  /** Unix seconds. */
  timestamp: number
  successor: string
  /** Order of arrival. */
  position: number
}

export interface AccountRecord {
  account: PublicKey
  head: string
  openBlock: string
  representative: PublicKey
  balance: Raw
  modifiedAt: number
  blockCount: number
  epoch: Epoch
  confirmedHeight: number
  confirmedFrontier: string
}

export interface Receivable {
  account: PublicKey
  hash: string
  source: PublicKey
  amount: Raw
  epoch: Epoch
}

/** With the place of the send on the chain of its sender. */
export type WaitingSend = Receivable & Pick<StoredBlock, 'height' | 'position'>
