import type { Db } from '../../../kernel/db.ts'
import type { PaymentProof } from '../../../kernel/nano/payment-proof.ts'

/** Every instance may have collected the votes; the first proof of a payment stays. */
export async function insertProof(
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

/** The payments of a checkout that have one. */
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
