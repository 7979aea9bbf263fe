import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { KeyVault, EncryptedKey } from '../../../kernel/key-vault.ts'
import { countByMasterKey, insertCanary, listCanaries, listWrappedByOthers, updateWrapping } from '../keys-store.ts'
import { encryptSeeds } from './seeds.ts'

const CANARY_HOLDER = { walletId: 'canary', address: 'canary' }
const CANARY = new Uint8Array(32).fill(0x6e)
const BATCH = 100

type VaultCtx = Pick<StoreCtx, 'db' | 'clock'> & { vault: KeyVault }

/**
 * Proves that the master keys are right before any wallet is touched: each key must decrypt a known text that it encrypted, and no wallet
 * may need a key that is missing. Throws a message for the operator.
 */
export async function proveMasterKeys({ db, clock, vault }: VaultCtx): Promise<void> {
  for (const { id, count } of await countByMasterKey(db)) {
    if (!vault.knows(id)) {
      throw new Error(
        `The master key ${id} is missing, and ${count} wallets depend on it. Restore it before you start.`,
      )
    }
  }
  const canaries = await listCanaries(db)
  for (const canary of canaries) if (vault.knows(canary.masterKeyId)) proveCanary(vault, canary)
  if (canaries.some(({ masterKeyId }) => masterKeyId === vault.activeKeyId)) return
  await insertCanary(db, vault.encrypt(CANARY_HOLDER, CANARY), clock.now())
}

function proveCanary(vault: KeyVault, canary: EncryptedKey): void {
  try {
    const text = vault.open(CANARY_HOLDER, canary)
    if (Buffer.compare(text, CANARY) === 0) return
  } catch {
    // All failures end in the one message below.
  }
  throw new Error(`The master key ${canary.masterKeyId} is not the one that encrypted the wallets of this store.`)
}

/** Wraps every data key with the active master key while the gateway runs. Safe to repeat, and to run twice at once. */
export async function rewrapKeys(ctx: VaultCtx): Promise<number> {
  const { db, vault } = ctx
  await proveMasterKeys(ctx)
  await encryptSeeds(ctx)
  let rewrapped = 0
  for (;;) {
    const batch = await listWrappedByOthers(db, vault.activeKeyId, BATCH)
    if (batch.length === 0) return rewrapped
    for (const { encrypted, ...holder } of batch) {
      const wrapping = vault.rewrap(holder, encrypted)
      if (wrapping && (await updateWrapping(db, holder.walletId, encrypted, wrapping))) rewrapped++
    }
  }
}
