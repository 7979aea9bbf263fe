import { RAW_PER_NANO, type Raw, toRaw } from '../kernel/money.ts'
import { type PublicKey, toAddress } from '../kernel/nano/address.ts'
import { type StateBlock, ZERO_HASH, hashBlock, rootOf } from '../kernel/nano/block.ts'
import { deriveKey, publicKeyOf, signHash } from '../kernel/nano/keys.ts'
import { refusal } from '../kernel/nano/node-request.ts'
import { FINAL_DURATION, FINAL_TIMESTAMP, hashVote, toDecimalSignature } from '../kernel/nano/vote.ts'
import { WORK_THRESHOLDS } from '../kernel/nano/work.ts'
import type { Members } from '../kernel/nano/node-answer.ts'
import type { LedgerNode } from './node.ts'

/** A public seed, so that the same accounts exist wherever this ledger runs. */
export const KNOWN_SEED = 'DEADBEEF'.repeat(8)
/** The balance with which each of them begins, in nano. */
export const KNOWN_NANO = 1_000

export interface KnownAccount {
  index: number
  address: string
  privateKey: string
}

/** Opens the first accounts of a seed and gives them money. Accounts that exist already stay as they are. */
export async function openAccounts(node: LedgerNode, seed: string, count: number): Promise<KnownAccount[]> {
  const accounts: KnownAccount[] = []
  for (let index = 0; index < count; index++) {
    const privateKey = deriveKey(seed, index)
    const key = publicKeyOf(privateKey)
    if (!(await node.reading(() => node.ledger.store.findAccount(key)))) {
      const amount = toRaw(BigInt(KNOWN_NANO) * RAW_PER_NANO)
      await openAccount(node, { account: key, privateKey, amount, representative: node.ledger.genesis.account })
    }
    accounts.push({ index, address: toAddress(key), privateKey })
  }
  return accounts
}

interface NewAccount {
  account: PublicKey
  privateKey: string
  amount: Raw
  representative: PublicKey
}

/** Opens an account with money of the genesis account. */
async function openAccount(
  node: LedgerNode,
  { account, privateKey, representative, ...asked }: NewAccount,
): Promise<void> {
  const { ledger } = node
  // An earlier start may have been stopped after its send, before the account received it.
  const [waiting] = await node.reading(() => [...ledger.store.receivableOf(account)])
  const amount = waiting?.amount ?? asked.amount
  const source = waiting?.hash ?? (await node.fund(account, amount))
  const draft: StateBlock = {
    type: 'state',
    account,
    previous: ZERO_HASH,
    representative,
    balance: amount,
    link: source,
    signature: '',
    work: '',
  }
  const work = await node.work.find(rootOf(draft), WORK_THRESHOLDS.dev.receive)
  if (work === undefined) throw refusal('Cancelled')
  const block = { ...draft, work, signature: signHash(privateKey, hashBlock(draft)) }
  await node.write((events) => {
    const result = ledger.processOwn(block)
    if ('refused' in result) throw refusal(result.refused)
    node.follow(block, result, events)
  })
}

/**
 * Opens representatives with equal parts of the genesis account's balance, which is their weight. Does nothing if they
 * were opened before.
 */
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
