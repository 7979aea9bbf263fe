import { notAgreed } from '../../kernel/agreed-read.ts'
import { AppError, LedgerRefusal } from '../../kernel/errors.ts'
import type { Failures } from '../../kernel/failures.ts'
import { parseRaw } from '../../kernel/money.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import type { LedgerSend } from '../../kernel/nano/ledger-send.ts'
import type { AskAllNodes, Clock, ConfirmationBus, NodeAnswer, NodePort } from '../../kernel/ports.ts'
import { textOf } from '../../kernel/shape.ts'
import {
  type PaymentBlock,
  checkAccepted,
  checkRecipient,
  checkSignatureAndWork,
  readAmount,
  readPaymentBlock,
} from '../../kernel/x402/payment-block.ts'
import {
  ASSET,
  type OwnFacilitator,
  type PaymentPayload,
  type PaymentTerms,
  type Reason,
  SCHEME,
  type SettleResponse,
  type SupportedResponse,
  type VerifyResponse,
  X402_VERSION,
} from '../../kernel/x402/wire.ts'

interface EmbeddedOptions {
  node: NodePort
  askAllNodes: AskAllNodes
  confirmations: ConfirmationBus
  clock: Clock
  failures: Failures
  network: string
  /** The least work of a send. */
  threshold: bigint
  /** Longest wait for a confirmation, whatever the terms ask for. */
  timeoutSecondsMax: number
}

/** Refusals that mean the node already has the block. They count even if another node, which is asked later, lacks it. */
const IS_THERE = new Set(['Old block'])
/** Not a refusal: a node keeps a block whose predecessor it lacks, and may still publish it. */
const GAPS = new Set(['Gap previous block', 'Gap source block'])

/** Verifies and settles payments with the gateway's own nodes. */
export class EmbeddedFacilitator implements OwnFacilitator {
  readonly #options: EmbeddedOptions

  constructor(options: EmbeddedOptions) {
    this.#options = options
  }

  async getSupported(): Promise<SupportedResponse> {
    const { network } = this.#options
    return { kinds: [{ x402Version: X402_VERSION, scheme: SCHEME, network }], extensions: ['bazaar'], signers: {} }
  }

  async verify(payment: PaymentPayload, terms: PaymentTerms): Promise<VerifyResponse> {
    const paid = this.#check(payment, terms)
    if (typeof paid === 'string') return { isValid: false, invalidReason: paid }
    const { payer } = paid
    const reason = await this.#checkLedger(paid, terms)
    return reason === undefined ? { isValid: true, payer } : { isValid: false, invalidReason: reason, payer }
  }

  /**
   * Publishes the block unless the ledger has it, and waits for its confirmation. It may be called again for the same
   * block at any time. Throws if no node answers and nothing was sent.
   */
  async settle(payment: PaymentPayload, terms: PaymentTerms): Promise<SettleResponse> {
    const paid = this.#check(payment, terms)
    if (typeof paid === 'string') return this.#failed(paid)
    const { node } = this.#options
    if (!(await findBlock(node, paid.hash))) {
      const failed = await this.#publish(paid)
      if (failed) return failed
    }
    return (await this.#await(paid, terms, true)) ?? this.#pending(paid)
  }

  async confirm(payment: PaymentPayload, terms: PaymentTerms, expected: boolean): Promise<SettleResponse | undefined> {
    const paid = this.#check(payment, terms)
    return typeof paid === 'string' ? this.#failed(paid) : this.#await(paid, terms, expected)
  }

  /**
   * All checks that do not need the ledger: the cheapest first, so that a payer's work is checked before we do
   * expensive work.
   */
  #check({ accepted, payload }: PaymentPayload, terms: PaymentTerms): PaymentBlock | Reason {
    const { network, threshold } = this.#options
    if (terms.scheme !== SCHEME) return 'unsupported_scheme'
    if (terms.network !== network) return 'invalid_network'
    if (terms.asset !== ASSET || readAmount(terms.amount) === undefined) return 'invalid_payment_requirements'
    const paid = readPaymentBlock(payload.block)
    if (!paid) return 'invalid_exact_nano_payload_block'
    return (
      checkAccepted(accepted, terms) ?? checkRecipient(paid, terms) ?? checkSignatureAndWork(paid, threshold) ?? paid
    )
  }

  /**
   * Frontier and balance come from the same answer, so they belong together. If the answer of one node matches the
   * block, the block is published, and the ledger decides. A payer is refused only if enough nodes agree.
   */
  async #checkLedger({ block, hash, payer }: PaymentBlock, { amount }: PaymentTerms): Promise<Reason | undefined> {
    const { node } = this.#options
    const agreed = await node.readAgreed('account_info', { account: payer }, (answer) => [toStand(answer)])
    const pays = ({ balance }: NodeAnswer) => (parseRaw(textOf(balance)) ?? 0n) - block.balance === BigInt(amount)
    if (agreed.answers.some((answer) => answer.frontier === block.previous && pays(answer))) return undefined
    const account = agreed.answers.find((answer) => agreed.facts.has(toStand(answer)))
    if (account?.frontier === block.previous) return 'invalid_exact_nano_payload_amount_mismatch'
    // Refuse a block that is already on the ledger, because anybody can copy it from there.
    if ((await node.readBlocks([hash])).has(hash)) return 'duplicate_settlement'
    if (!account) throw notAgreed(agreed)
    return 'invalid_exact_nano_payload_frontier'
  }

  /** Returns undefined when the block is on the ledger. */
  async #publish(paid: PaymentBlock): Promise<SettleResponse | undefined> {
    const { node, askAllNodes } = this.#options
    try {
      await node.publish(paid.block, 'send')
      return undefined
    } catch (error) {
      // Every node refused the connection, so nothing has left this machine.
      if (error instanceof AppError && error.code === 'no_node') throw error
      if (!(error instanceof LedgerRefusal) || GAPS.has(error.message)) return this.#pending(paid)
      // The node may have refused the block because an earlier call has published it already. One node's answer is not
      // enough to rule that out.
      const { nodes, known } = await askAllNodes(paid.payer, [paid.hash])
      if (known.has(paid.hash)) return undefined
      return nodes === 0 || IS_THERE.has(error.message)
        ? this.#pending(paid)
        : this.#failed('invalid_transaction_state', error.message)
    }
  }

  async #await(paid: PaymentBlock, terms: PaymentTerms, expected: boolean): Promise<SettleResponse | undefined> {
    const { node, clock, confirmations, failures, timeoutSecondsMax } = this.#options
    const seconds = Math.min(Math.max(terms.maxTimeoutSeconds, 0) || 0, timeoutSecondsMax)
    const deadline = clock.now() + seconds * 1000
    const send = await confirmedBlock({ node, clock, confirmations, failures }, paid.hash, { deadline, expected })
    if (send === 'absent') return expected ? this.#pending(paid) : undefined
    if (send === 'unconfirmed') return this.#pending(paid)
    const reason = checkFinal(send, paid, terms)
    if (reason !== undefined) return this.#failed(reason)
    return { success: true, transaction: paid.hash, network: terms.network, payer: paid.payer }
  }

  #pending({ hash, payer }: PaymentBlock): SettleResponse {
    const { network } = this.#options
    return { success: false, errorReason: 'settlement_pending', transaction: hash, network, payer }
  }

  #failed(reason: Reason, message?: string): SettleResponse {
    const { network } = this.#options
    const said = message === undefined ? {} : { errorMessage: message }
    return { success: false, errorReason: reason, ...said, transaction: '', network }
  }
}

/** Compares the confirmed send with the terms. This is the proof; earlier checks were not. */
function checkFinal(
  { from, to, amountRaw }: LedgerSend,
  { payer }: PaymentBlock,
  terms: PaymentTerms,
): Reason | undefined {
  if (from !== payer) return 'invalid_transaction_state'
  if (fromAddress(to) !== fromAddress(terms.payTo)) return 'invalid_exact_nano_payload_recipient_mismatch'
  return amountRaw.toString() === terms.amount ? undefined : 'invalid_exact_nano_payload_amount_mismatch'
}

function findBlock(node: NodePort, hash: string): Promise<NodeAnswer | undefined> {
  return orUndefined(node.read('block_info', { hash, json_block: true }))
}

const toStand = ({ frontier, balance, error }: NodeAnswer) => [frontier, balance, error].map(textOf).join(' ')

/** "Not found" is an answer of the ledger; a failure of a node is not. */
async function orUndefined(answer: Promise<NodeAnswer>): Promise<NodeAnswer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof LedgerRefusal) return undefined
    throw error
  }
}

const FIRST_LOOK = 500
const LOOK_EVERY = 1_000
/** After this time without votes, the representatives are asked once to vote for the block. */
const ASK_VOTERS_AFTER = 5_000

interface Ledger {
  node: NodePort
  clock: Clock
  confirmations: ConfirmationBus
  failures: Failures
}

interface Wait {
  /** In milliseconds since 1970. One check is always made, even after the deadline. */
  deadline: number
  /** Whether to wait for a block that is not on the ledger yet. */
  expected: boolean
}

/**
 * Waits until a block is confirmed. The stream of confirmations ends the wait at once; regular checks of the ledger
 * find confirmations that the stream has lost. A node that fails is asked again.
 */
async function confirmedBlock(
  { node, clock, confirmations, failures }: Ledger,
  hash: string,
  { deadline, expected }: Wait,
): Promise<LedgerSend | 'unconfirmed' | 'absent'> {
  const startedAt = clock.now()
  let received = false
  let wake: () => void = () => undefined
  // Listen before the first check; a confirmation between the two would be missed otherwise.
  const stop = confirmations.listen((confirmation) => {
    if (confirmation.hash !== hash) return
    received = true
    wake()
  })
  try {
    let asked = false
    for (let pause = FIRST_LOOK; ; pause = LOOK_EVERY) {
      received = false
      const seen = await look(node, hash)
      if (seen === 'absent' && !expected) return 'absent'
      if (typeof seen === 'object' && seen.isFinal) return seen
      const now = clock.now()
      if (now >= deadline) return seen === 'absent' ? 'absent' : 'unconfirmed'
      if (!asked && now - startedAt >= ASK_VOTERS_AFTER) {
        asked = true
        node.read('block_confirm', { hash }).catch(failures.lost('x402.voters'))
      }
      if (!received) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(Math.min(pause, deadline - now), resolve)
          wake = () => {
            cancel()
            resolve()
          }
        })
      }
    }
  } finally {
    stop()
  }
}

async function look(node: NodePort, hash: string): Promise<LedgerSend | 'absent' | 'unknown'> {
  try {
    return (await node.readSends([hash])).get(hash) ?? 'absent'
  } catch {
    return 'unknown'
  }
}
