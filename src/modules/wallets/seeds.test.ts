import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import type { MasterKey } from '../../infra/secrets/envelope.ts'
import { toMasterKeys } from '../../infra/secrets/master-keys.ts'
import { EnvelopeVault } from '../../infra/secrets/vault.ts'
import { OPERATOR } from '../../kernel/actor.ts'
import { toAddress } from '../../kernel/nano/address.ts'
import { deriveKeyBytes, toSigningKey } from '../../kernel/nano/keys.ts'
import { readWords } from '../../kernel/nano/words.ts'
import { CLI, askCommand } from '../../../test/support/command-line.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { Crash } from '../../../test/support/faults.ts'
import { openGateway } from '../../../test/support/gateway.ts'
import { testRandom } from '../../../test/support/random.ts'
import { type Instance, MASTER_KEY, type WalletWorld, openWalletWorld } from '../../../test/support/wallet-world.ts'
import { keepSeed, withSeed } from './domain/seeds.ts'
import { rewrapKeys, showWords } from './index.ts'
import { listSeals, listSeeds } from './seeds-store.ts'

/* Keys of new wallets come from one seed, so that 24 words restore all of them (decision 7). */

const addressAt = (seed: Uint8Array, index: number) => toAddress(toSigningKey(deriveKeyBytes(seed, index)).publicKey)

const placesIn = ({ db }: WalletWorld) =>
  db
    .selectFrom('wallet_keys')
    .innerJoin('wallets', 'wallets.id', 'wallet_keys.wallet_id')
    .select(['address', 'seed_index'])
    .orderBy('seed_index')
    .execute()

async function readSeed({ ctx }: Instance): Promise<Uint8Array> {
  const [seed] = await listSeeds(ctx.store.db)
  return withSeed({ db: ctx.store.db, vault: ctx.vault }, seed!.id, (bytes) => Uint8Array.from(bytes))
}

forEachEngine((engine) => {
  test('two instances that make wallets at once give each a key of its own, and the words open all of them', async (t) => {
    const world = await openWalletWorld(t, { engine, random: testRandom })
    const [one, other] = await Promise.all([world.start(), world.start()])
    await world.finish(Promise.all([...Array(8)].map((_, at) => world.create(at % 2 === 0 ? one : other))))
    const places = await placesIn(world)
    // Both also make the treasury; the later one leaves its index unused.
    assert.equal(new Set(places.map(({ seed_index: index }) => index)).size, 9)
    let shown: string[] = []
    await showWords({ ...one.ctx.store, vault: other.ctx.vault }, OPERATOR, (words) => (shown = words))
    const seed = readWords(shown.join(' '))
    for (const { address, seed_index: index } of places) assert.equal(addressAt(seed, index!), address)
  })

  // If two wallets shared a key, deposits for one would be credited to the other.
  test('an instance that dies anywhere in making a wallet leaves a place empty, and never a key that is used twice', async (t) => {
    const world = await openWalletWorld(t, { engine, random: testRandom })
    for (let call = 1; call < 12; call++) {
      const instance = await world.start()
      instance.faults.crashAt(call, call % 2 === 0 ? 'before' : 'after')
      await world.finish(world.create(instance)).catch((error: unknown) => {
        if (!instance.faults.dead && !(error instanceof Crash)) throw error
      })
    }
    const instance = await world.start()
    await world.finish(world.create(instance))
    const places = await placesIn(world)
    const seed = await readSeed(instance)
    assert.ok(places.length > 2)
    assert.equal(new Set(places.map(({ seed_index: index }) => index)).size, places.length)
    for (const { address, seed_index: index } of places) assert.equal(addressAt(seed, index!), address)
  })

  test('a wallet that is refused gives its place back', async (t) => {
    const world = await openWalletWorld(t, { engine, random: testRandom, env: { WALLETS_PER_ACCOUNT_MAX: '1' } })
    const instance = await world.start()
    await world.create(instance)
    const next = async () => (await listSeeds(world.db))[0]!.nextIndex
    const before = await next()
    await assert.rejects(world.create(instance), /wallets/)
    assert.equal(await next(), before)
  })
})

test('a seed is opened by every master key that the gateway has, and by none that it has given up', async (t) => {
  const world = await openWalletWorld(t, { random: testRandom })
  const younger = { id: 'younger', key: testRandom.bytes(32) }
  const ctxWith = (...keys: MasterKey[]) => {
    const vault = new EnvelopeVault({ load: () => toMasterKeys(keys), random: testRandom })
    return { ...world.ctx, vault }
  }
  await keepSeed(ctxWith(MASTER_KEY))
  const { id } = (await listSeeds(world.db))[0]!
  const openWith = (...keys: MasterKey[]) => withSeed(ctxWith(...keys), id, (seed) => Uint8Array.from(seed))
  const seed = await openWith(MASTER_KEY)
  await assert.rejects(keepSeed(ctxWith(younger)), /encrypted with the master key test, which is missing/)
  await rewrapKeys(ctxWith(MASTER_KEY, younger))
  assert.deepEqual(await openWith(younger), seed)
  assert.deepEqual(await openWith(MASTER_KEY), seed)
  await keepSeed(ctxWith(younger))
  const seals = await listSeals(world.db, id)
  assert.deepEqual(
    seals.map(({ masterKeyId }) => masterKeyId),
    ['younger'],
  )
  assert.equal((await listSeeds(world.db)).length, 1, 'there is still one seed')
})

test('the words are shown once on the command line, checked there, and appear in no log and no audit', async (t) => {
  const gateway = await openGateway(t)
  const { words } = (await askCommand(gateway.folder, 'wallets', 'words')) as { words: string }
  const { db } = gateway.app.store
  const treasury = await db.selectFrom('wallets').select('address').executeTakeFirstOrThrow()
  assert.equal(addressAt(readWords(words), 0), treasury.address)
  await assert.rejects(askCommand(gateway.folder, 'wallets', 'words'), /shown on .*wallets words --check/)
  const env = { ...process.env, DATA_DIR: gateway.folder }
  const check = (input: string) =>
    execFileSync(process.execPath, [CLI, 'wallets', 'words', '--check'], { env, input, stdio: 'pipe' }).toString()
  assert.match(check(words), /These are the words/)
  const wrong = words.split(' ').with(4, 'zoo').join(' ')
  assert.throws(
    () => check(wrong),
    (error: { stderr: Buffer }) =>
      /Word 5 is not the word of this seed/.test(String(error.stderr)) && !/zoo/.test(String(error.stderr)),
  )
  const { words: later } = (await askCommand(gateway.folder, 'wallets', 'words', '--new')) as { words: string }
  assert.notEqual(later, words)
  assert.throws(() => check(words), /words of an older seed/)
  const { address } = (await gateway.call('cloud_wallet', { key: gateway.app.createdKey! })).json()
  assert.equal(address, addressAt(readWords(later), 0), 'the running gateway uses the new seed at once')
  const audits = await db.selectFrom('audit_entries').selectAll().where('what', 'like', 'wallet_words.%').execute()
  assert.equal(audits.length, 3)
  const told = `${gateway.log()}${JSON.stringify(audits)}`.toLowerCase()
  for (const word of words.split(' ').slice(0, 3)) assert.ok(!told.includes(` ${word} `))
  assert.ok(!told.includes(words))
})
