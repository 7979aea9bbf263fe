import { toRaw } from '../kernel/money.ts'
import { type PublicKey, toAddress } from '../kernel/nano/address.ts'
import { deriveKey, publicKeyOf, signHash } from '../kernel/nano/keys.ts'
import { FINAL_DURATION, FINAL_TIMESTAMP, hashVote, toDecimalSignature } from '../kernel/nano/vote.ts'
import { openAccount } from './accounts.ts'
import type { Members } from './answer.ts'
import type { Genesis } from './genesis.ts'
import type { LedgerNode } from './node.ts'

/** A representative that this ledger votes with. */
export interface Voter {
  key: PublicKey
  privateKey: string
}

/** The genesis account, and others whose keys follow from its own. */
export const votersOf = ({ account, privateKey }: Genesis, count: number): readonly Voter[] => [
  { key: account, privateKey },
  ...Array.from({ length: count - 1 }, (_, index) => {
    const derived = deriveKey(privateKey, index)
    return { key: publicKeyOf(derived), privateKey: derived }
  }),
]

/** Gives each representative an equal part of what the genesis account has, unless it was opened before: weight is money. */
export async function openVoters(node: LedgerNode): Promise<void> {
  const { store, genesis } = node.ledger
  const [, ...others] = node.voters
  const unopened = others.filter(({ key }) => !store.findAccount(key))
  const share = store.findAccount(genesis.account)!.balance / BigInt(unopened.length + 1)
  for (const { key, privateKey } of unopened) {
    await openAccount(node, { account: key, privateKey, amount: toRaw(share), representative: key })
  }
  node.lookAtWeight()
}

/** The final votes for a block, as the websocket sends them. */
export function voteFor(node: LedgerNode, hash: string): Members[] {
  const vote = { timestamp: FINAL_TIMESTAMP, duration: FINAL_DURATION, hashes: [hash] }
  const signed = hashVote(vote)
  return node.listOnline().map(({ key, privateKey }) => ({
    account: toAddress(key),
    signature: toDecimalSignature(signHash(privateKey, signed)),
    sequence: FINAL_TIMESTAMP.toString(),
    timestamp: FINAL_TIMESTAMP.toString(),
    duration: FINAL_DURATION.toString(),
    blocks: [hash],
    type: 'vote',
  }))
}
