import { type Raw, formatNano } from '../kernel/money.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../kernel/nano/block.ts'
import { whenOver } from '../kernel/when-over.ts'
import type { AccountChain, Head, Subtype } from './account-chain.ts'
import type { Budget } from './budget.ts'
import { backOff, rest } from './call.ts'
import { GatewayError } from './gateway-error.ts'
import type { LedgerRpc } from './ledger-rpc.ts'

const LOOK_EVERY = 250
const LOOKS_MAX = 40

/** Signs for one account, one block at a time: each block contains the hash of the one before. */
export class AccountSigner {
  readonly chain: AccountChain
  #underWay: Promise<unknown> = Promise.resolve()
  /** The `previous` of the last block that another program is to publish. */
  #spent: string | undefined
  /** A block of ours that may or may not be on the ledger. */
  #unknown: { block: StateBlock; subtype: Subtype } | undefined

  constructor(chain: AccountChain) {
    this.chain = chain
  }

  inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#underWay.then(run)
    this.#underWay = whenOver(turn)
    return turn
  }

  /** The newest block of an account that must have one. `needed` is the amount to be sent, for the error. */
  async nextHead(needed?: bigint): Promise<Head> {
    const head = await this.findHead()
    if (head) return head
    const details = { code: 'insufficient_funds', needed, available: 0n }
    throw new GatewayError(`${this.chain.address} has not received anything yet.`, details)
  }

  /**
   * The newest block of the account. If a block of ours already follows it, that payment has not arrived yet: we wait
   * for it, but not for ever, because it may have been refused.
   */
  async findHead(): Promise<Head | undefined> {
    await this.#resolve()
    for (let looks = 1; ; looks++) {
      const head = await this.chain.readHead()
      if (head?.previous !== this.#spent || head === undefined || looks === LOOKS_MAX) return head
      await rest(LOOK_EVERY)
    }
  }

  /** Signs a send. If another program publishes it, the next block waits for it. */
  async signSend(head: Head, link: string, amount: bigint): Promise<StateBlock> {
    if (head.balance < amount) {
      const message = `${this.chain.address} has ${formatNano(head.balance)} nano; ${formatNano(amount)} nano are needed.`
      throw new GatewayError(message, { code: 'insufficient_funds', needed: amount, available: head.balance })
    }
    return this.chain.seal({ ...head, balance: (head.balance - amount) as Raw, link })
  }

  /** Records that another program publishes this block. */
  handOver({ previous }: StateBlock): void {
    this.#spent = previous
  }

  /** Records that this block will not be published, so the next block takes its place. */
  takeBack({ previous }: StateBlock): void {
    if (this.#spent === previous) this.#spent = undefined
  }

  async publish(block: StateBlock, subtype: Subtype): Promise<string> {
    try {
      return await publish(this.chain.rpc, block, subtype)
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'publish_unknown') this.#unknown = { block, subtype }
      throw error
    }
  }

  /** If the unknown block arrived after all, another block in its place would be a second payment or a fork. */
  async #resolve(): Promise<void> {
    if (!this.#unknown) return
    const { block, subtype } = this.#unknown
    try {
      await publish(this.chain.rpc, block, subtype)
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'ledger_refused') throw error
    }
    this.#unknown = undefined
  }
}

const TRIES_MAX = 3

/**
 * Publishes a block and returns its hash. After a lost reply, asks the ledger before sending the same bytes again. If
 * the outcome stays unknown, throws `publish_unknown`, with the hash in `body`.
 */
async function publish(rpc: LedgerRpc, block: StateBlock, subtype: Subtype): Promise<string> {
  const hash = hashBlock(block)
  const idempotencyKey = crypto.randomUUID()
  let failure: unknown
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if (tries > 0) await rest(backOff(tries))
    try {
      const request = { json_block: 'true', subtype, block: toBlockJson(block) }
      const answer = await rpc('process', request, idempotencyKey)
      if (answer.hash === hash || (await isOnLedger(rpc, hash))) return hash
      const message = String(answer.error ?? 'The ledger refused a block.')
      throw new GatewayError(message, { code: 'ledger_refused', status: 200, body: answer })
    } catch (error) {
      if (isFinal(error)) throw error
      failure = error
    }
    try {
      if (await isOnLedger(rpc, hash)) return hash
    } catch (error) {
      failure = error
    }
  }
  const message = `Whether block ${hash} is on the ledger is not known yet. Look it up before you send again.`
  throw new GatewayError(message, { code: 'publish_unknown', body: { hash }, cause: failure })
}

/** Whether the block certainly was not published: the client refused to send it, or the ledger refused it. */
const isFinal = (error: unknown) =>
  error instanceof GatewayError && error.status >= 200 && error.status < 500 && error.status !== 409

async function isOnLedger(rpc: LedgerRpc, hash: string): Promise<boolean> {
  const { contents, error } = await rpc('block_info', { hash, json_block: 'true' })
  if (contents === undefined && error === undefined) throw new Error('The ledger did not report about a block.')
  return contents !== undefined
}

/**
 * Settles payments of unknown outcome before another one is signed. The ledger decides, not the payee: once some block
 * follows the same `previous`, either it is our block, or ours can never be published.
 */
export async function resolvePending(chain: AccountChain, budget: Budget, head: Head): Promise<void> {
  for (const entry of budget.pendingOf(chain.key)) {
    if (entry.block.previous === head.previous) continue
    const isThere = entry.hash === head.previous || (await isOnLedger(chain.rpc, entry.hash))
    entry.state = isThere ? 'settled' : 'refused'
  }
}
