import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { KeyVault, EncryptedKey } from '../../../kernel/key-vault.ts'
import { deriveKeyBytes } from '../../../kernel/nano/keys.ts'
import { masterKeyMissing } from '../errors.ts'
import {
  type SeedPlace,
  deleteSeal,
  giveIndexBack,
  insertSeals,
  insertSeed,
  listSeals,
  listSeeds,
  takeIndex,
} from '../seeds-store.ts'

const SEED_BYTES = 32

type SeedCtx = Pick<StoreCtx, 'db'> & { vault: KeyVault }
type MakingCtx = SeedCtx & Pick<StoreCtx, 'clock' | 'random' | 'ids'>

const holderOf = (seedId: string) => ({ walletId: seedId, address: 'seed' })

/** Makes the seed of new wallets, unless the store has one; another instance may do the same at this moment. */
export async function keepSeed(ctx: MakingCtx): Promise<void> {
  await encryptSeeds(ctx)
  const { db, random } = ctx
  if ((await listSeeds(db)).some(({ isActive }) => isActive)) return
  const seed = random.bytes(SEED_BYTES)
  try {
    await db.transaction().execute((tx) => storeSeed({ ...ctx, db: tx }, seed, true))
  } finally {
    seed.fill(0)
  }
}

/** Stores a seed, encrypted by every master key, in the caller's transaction. Undefined when it was to be active and another is. */
export async function storeSeed(
  { db, clock, ids, vault }: MakingCtx,
  seed: Uint8Array,
  isActive: boolean,
): Promise<string | undefined> {
  const id = ids.next('sed')
  const seals = vault.encryptByEach(holderOf(id), seed, new Set())
  return (await insertSeed(db, { id, isActive, now: clock.now() }, seals)) ? id : undefined
}

/**
 * Encrypts every seed with every master key of this gateway, and forgets what was encrypted with keys that it does not have any more.
 * Throws a message for the operator when no master key opens a seed.
 */
export async function encryptSeeds({ db, vault }: SeedCtx): Promise<void> {
  for (const { id } of await listSeeds(db)) {
    const seals = await listSeals(db, id)
    const seed = openOne(vault, id, seals)
    try {
      const known = new Set(seals.map(({ masterKeyId }) => masterKeyId))
      await insertSeals(db, id, vault.encryptByEach(holderOf(id), seed, known))
    } finally {
      seed.fill(0)
    }
    for (const { masterKeyId } of seals) if (!vault.knows(masterKeyId)) await deleteSeal(db, id, masterKeyId)
  }
}

function openOne(vault: KeyVault, seedId: string, seals: readonly EncryptedKey[]): Uint8Array {
  const encrypted = seals.find(({ masterKeyId }) => vault.knows(masterKeyId))
  if (encrypted) return vault.open(holderOf(seedId), encrypted)
  const names = seals.map(({ masterKeyId }) => masterKeyId).join(', ')
  throw new Error(`The wallet seed is encrypted with the master key ${names}, which is missing. Restore it.`)
}

/** Runs with a seed in the clear, and wipes it. */
export async function withSeed<T>({ db, vault }: SeedCtx, seedId: string, run: (seed: Uint8Array) => T): Promise<T> {
  const seals = await listSeals(db, seedId)
  const seed = openOne(vault, seedId, seals)
  try {
    return await run(seed)
  } finally {
    seed.fill(0)
  }
}

/** A key of the active seed that no wallet has. */
interface DerivedKey {
  key: Uint8Array
  place: SeedPlace
  /** Returns its place, as long as its address was never shown. */
  giveBack(): Promise<void>
}

/** Derives the key of a new wallet. The caller wipes it. */
export async function takeKey(ctx: SeedCtx): Promise<DerivedKey> {
  const place = await takeIndex(ctx.db)
  const giveBack = () => giveIndexBack(ctx.db, place)
  try {
    const key = await withSeed(ctx, place.seedId, (seed) => deriveKeyBytes(seed, place.index))
    return { key, place, giveBack }
  } catch (error) {
    // Another gateway may have rotated the master keys; the place is not used.
    await giveBack()
    throw masterKeyMissing(error)
  }
}
