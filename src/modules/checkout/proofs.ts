import type { Db } from '../../kernel/db.ts'
import { toAddress } from '../../kernel/nano/address.ts'
import { previousOf } from '../../kernel/nano/block.ts'
import { type PaymentProof, makeProof } from '../../kernel/nano/payment-proof.ts'
import type { NodePort, VotePort } from '../../kernel/ports.ts'
import type { CheckoutContext } from './context.ts'

/** Proofs are kept for ever, and votes that name many blocks are long, so larger proofs are not stored. */
const PROOF_LENGTH_MAX = 1024 * 1024

/** Stores the proofs of payments as their votes arrive. A payment counts as paid with or without a proof. */
export class Prover {
  readonly #ctx: CheckoutContext
  readonly #node: NodePort
  readonly #votes: VotePort
  readonly #running = new Set<Promise<void>>()
  #stopped = false

  constructor(ctx: CheckoutContext, node: NodePort, votes: VotePort) {
    this.#ctx = ctx
    this.#node = node
    this.#votes = votes
  }

  prove(hash: string, checkoutIds: readonly string[]): void {
    const running = this.#prove(hash, checkoutIds)
      .catch((error: unknown) => {
        if (!this.#stopped) this.#ctx.failures.lost('checkout.proof')(error)
      })
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Stops without waiting for votes that are still missing. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#votes.close()
    await Promise.all(this.#running)
  }

  async #prove(hash: string, checkoutIds: readonly string[]): Promise<void> {
    const proof = await this.#make(hash)
    if (JSON.stringify(proof).length > PROOF_LENGTH_MAX) throw new Error('The proof of a payment is too long.')
    const createdAt = this.#ctx.clock.now()
    for (const checkoutId of checkoutIds) await insertProof(this.#ctx.db, { checkoutId, proof, createdAt })
  }

  async #make(hash: string): Promise<PaymentProof> {
    const collected = await this.#votes.collect(hash)
    if (!collected) throw new Error('Too few votes for a payment came in.')
    const { votes, weightOf, quorumRaw, onlineRaw, sources, at } = collected
    const send = (await this.#node.readBlocks([hash])).get(hash)
    const before = send && previousOf(send.block)
    const previous = before === undefined ? undefined : (await this.#node.readBlocks([before])).get(before)
    const proof =
      send?.signer &&
      previous &&
      makeProof({
        send: { hash, block: send.block, account: send.signer },
        previous,
        votes,
        reported: {
          weights: Object.fromEntries(
            votes.map(({ representative: key }) => [toAddress(key), weightOf(key).toString()]),
          ),
          quorum_raw: quorumRaw.toString(),
          online_raw: onlineRaw.toString(),
          source: [...sources],
          taken_unix: Math.floor(at / 1_000),
        },
      })
    if (!proof) throw new Error('A payment does not prove its amount.')
    return proof
  }
}

/** Several instances may have collected the votes; the first proof of a payment is kept. */
async function insertProof(
  db: Db,
  { checkoutId, proof, createdAt }: { checkoutId: string; proof: PaymentProof; createdAt: number },
): Promise<void> {
  await db
    .insertInto('checkout_proofs')
    .values({
      checkout_id: checkoutId,
      block_hash: proof.block.hash,
      proof: JSON.stringify(proof),
      created_at: createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Lists the payments of a checkout that have a proof. */
export async function listProved(db: Db, checkoutId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('checkout_proofs')
    .select('block_hash')
    .where('checkout_id', '=', checkoutId)
    .execute()
  return new Set(rows.map(({ block_hash: hash }) => hash))
}

export async function findProof(db: Db, checkoutId: string, blockHash: string): Promise<PaymentProof | undefined> {
  const row = await db
    .selectFrom('checkout_proofs')
    .select('proof')
    .where('checkout_id', '=', checkoutId)
    .where('block_hash', '=', blockHash)
    .executeTakeFirst()
  return row && (JSON.parse(row.proof) as PaymentProof)
}
