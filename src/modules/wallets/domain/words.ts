import type { Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { KeyVault } from '../../../kernel/key-vault.ts'
import { findWrongWord, readWords, toWords } from '../../../kernel/nano/words.ts'
import { insertAudit } from '../../accounts/index.ts'
import { type Seed, listSeeds, markChecked, markShown, retireSeed } from '../seeds-store.ts'
import { keepSeed, storeSeed, withSeed } from './seeds.ts'

export type WordsCtx = StoreCtx & { vault: KeyVault }

const SEED_BYTES = 32

async function activeSeed(ctx: WordsCtx): Promise<Seed> {
  await keepSeed(ctx)
  return (await listSeeds(ctx.db)).find(({ isActive }) => isActive)!
}

/** Shows the words of the seed of new wallets, once. They count as shown after `show` has run. */
export async function showWords(ctx: WordsCtx, actor: Actor, show: (words: string[]) => void): Promise<void> {
  const { id, shownAt } = await activeSeed(ctx)
  if (shownAt !== null) {
    const day = new Date(shownAt).toISOString().slice(0, 10)
    const way = 'If your copy is lost: wallets words --new, then wallets migrate-keys.'
    throw new AppError('conflict', `The words were shown on ${day}. Check your copy with wallets words --check. ${way}`)
  }
  show(await withSeed(ctx, id, toWords))
  await inTx(ctx, async (tx) => {
    if (!(await markShown(tx.db, id, tx.clock.now()))) return
    await insertAudit(tx, { actor, accountId: null, what: 'wallet_words.shown', detail: { seed: id } })
  })
}

/**
 * Checks that these are the words of the seed of new wallets. Otherwise throws an error that names the position of the first wrong word, but no word.
 */
export async function checkWords(ctx: WordsCtx, text: string): Promise<void> {
  const { id } = await activeSeed(ctx)
  const wrong = await withSeed(ctx, id, (seed) => findWrongWord(text, seed))
  if (wrong === undefined) return markChecked(ctx.db, id, ctx.clock.now())
  if (await findSeed(ctx, text)) throw new Error('These are the words of an older seed, not of the one of new wallets.')
  throw new Error(`Word ${wrong} is not the word of this seed.`)
}

/** The seed of the store that has these words; throws what is wrong with them. */
async function findSeed(ctx: Pick<WordsCtx, 'db' | 'vault'>, text: string): Promise<Seed | undefined> {
  for (const seed of await listSeeds(ctx.db)) {
    if ((await withSeed(ctx, seed.id, (known) => findWrongWord(text, known))) === undefined) return seed
  }
  return undefined
}

/** Makes a new seed for new wallets. The older one stays, because its wallets need it. */
export async function replaceSeed(ctx: WordsCtx, actor: Actor): Promise<void> {
  const seed = ctx.random.bytes(SEED_BYTES)
  try {
    await inTx(ctx, async (tx) => {
      await retireSeed(tx.db)
      const id = await storeSeed({ ...tx, vault: ctx.vault }, seed, true)
      if (id === undefined) throw new AppError('conflict', 'Another command makes a new seed at this moment.')
      await insertAudit(tx, { actor, accountId: null, what: 'wallet_words.replaced', detail: { seed: id } })
    })
  } finally {
    seed.fill(0)
  }
}

/** Stores the seed of these words, to find the wallets derived from it. It becomes the seed of new wallets if the store has none. */
export async function adoptWords(ctx: WordsCtx, text: string): Promise<Seed> {
  const known = await findSeed(ctx, text)
  if (known) return known
  const seed = readWords(text)
  try {
    return await inTx(ctx, async (tx) => {
      const active = (await listSeeds(tx.db)).find(({ isActive }) => isActive)
      const isUnused = active === undefined || (active.nextIndex <= 1 && active.shownAt === null)
      if (isUnused) await retireSeed(tx.db)
      const id = await storeSeed({ ...tx, vault: ctx.vault }, seed, isUnused)
      await markShown(tx.db, id!, tx.clock.now())
      await markChecked(tx.db, id!, tx.clock.now())
      return (await listSeeds(tx.db)).find((one) => one.id === id)!
    })
  } finally {
    seed.fill(0)
  }
}
