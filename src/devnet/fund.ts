import type { Raw } from '../kernel/money.ts'
import type { PublicKey } from '../kernel/nano/address.ts'
import { type Block, type StateBlock, hashBlock } from '../kernel/nano/block.ts'
import { signHash } from '../kernel/nano/keys.ts'
import { refusal } from '../kernel/nano/node-request.ts'
import { WORK_THRESHOLDS } from '../kernel/nano/work.ts'
import { whenOver } from '../kernel/when-over.ts'
import type { Applied, Ledger, Processed } from './ledger.ts'
import type { NodeEvent } from './node-options.ts'
import type { WorkSearches } from './work-search.ts'

/** What the bank uses of its node. */
interface Teller {
  readonly ledger: Ledger
  readonly work: WorkSearches
  write<T>(run: (events: NodeEvent[]) => T): Promise<T>
  follow(block: Block, result: Applied, events: NodeEvent[]): void
}

/**
 * Sends from the genesis account, whose private key is public, one payment at a time: each needs the frontier that the
 * previous one made.
 */
export class Bank {
  readonly #node: Teller
  #sending: Promise<unknown> = Promise.resolve()

  constructor(node: Teller) {
    this.#node = node
  }

  send(account: PublicKey, amount: Raw): Promise<string> {
    const sent = this.#sending.then(() => sendFromGenesis(this.#node, account, amount))
    this.#sending = whenOver(sent)
    return sent
  }
}

async function sendFromGenesis(node: Teller, account: PublicKey, amount: Raw): Promise<string> {
  const { ledger, work: searches } = node
  for (;;) {
    const genesis = ledger.store.findAccount(ledger.genesis.account)!
    if (amount <= 0n || amount > genesis.balance) throw refusal('Insufficient balance')
    // Work of the live thresholds would take hours here, so blocks that the ledger makes itself carry work of the dev
    // network.
    const work = await searches.find(genesis.head, WORK_THRESHOLDS.dev.send)
    if (work === undefined) throw refusal('Cancelled')
    const draft: StateBlock = {
      type: 'state',
      account: genesis.account,
      previous: genesis.head,
      representative: genesis.representative,
      balance: (genesis.balance - amount) as Raw,
      link: account,
      signature: '',
      work,
    }
    const block = { ...draft, signature: signHash(ledger.genesis.privateKey, hashBlock(draft)) }
    const result = await node.write((events): Processed => {
      const result = ledger.processOwn(block)
      if ('hash' in result) node.follow(block, result, events)
      return result
    })
    if ('hash' in result) return result.hash
    // Another client used the public key meanwhile, or the ledger was reverted. Try again from the new frontier.
    if (result.refused !== 'Fork' && result.refused !== 'Gap previous block') throw refusal(result.refused)
  }
}
