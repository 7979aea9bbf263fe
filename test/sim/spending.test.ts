import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, describe, test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { AppError } from '../../src/kernel/errors.ts'
import type { KeyRights } from '../../src/kernel/rights.ts'
import { type Raw, toRaw } from '../../src/kernel/money.ts'
import { dayOf, endOfDay } from '../../src/modules/accounts/domain/spending.ts'
import { sendFromWallet } from '../../src/modules/wallets/domain/send.ts'
import { listUnsettled } from '../../src/modules/wallets/unsettled-store.ts'
import { Signer, nano } from '../support/blocks.ts'
import { ENGINES } from '../support/engines.ts'
import { Crash } from '../support/faults.ts'
import { SEED, SeededRandom } from '../support/random.ts'
import { isThorough } from '../support/thorough.ts'
import { type Instance, type WalletWorld, openWalletWorld } from '../support/wallet-world.ts'
import { type Scenario, always, failEverywhere, stranger } from './fail-everywhere.ts'

/*
 * Keys with a daily limit, on two gateways that die at any call, with clients that repeat their requests. By the ledger, the sends of a day must never
 * exceed its limit, and what was not sent must not count.
 */

const LEASE = 11_000
const HOUR = 3_600_000
/** A long run has more days than a wallet usually lives. */
const YEARS = 10 * 365 * 24 * HOUR
const LIMIT = nano(10)
const CHILD_LIMIT = nano(6)
const PARENT = { id: 'key_parent', perMinute: undefined, spendDaily: LIMIT }
const RIGHTS: Record<'parent' | 'child' | 'other', KeyRights> = {
  parent: { scopes: undefined, limits: [PARENT] },
  child: { scopes: undefined, limits: [{ id: 'key_child', perMinute: undefined, spendDaily: CHILD_LIMIT }, PARENT] },
  other: { scopes: undefined, limits: [PARENT] },
}
/** Expected failures of a send. Any other is a defect. */
const EXPECTED = new Set(['no_node', 'publish_unknown', 'insufficient_funds', 'wallet_busy', 'spending_limit'])

interface Wish {
  from: string
  by: keyof typeof RIGHTS
  amount: Raw | 'all'
  key: string
}

async function spend(t: TestContext, engine: StoreEngine | 'memory', seed: number, steps: number): Promise<void> {
  const random = new SeededRandom(seed)
  const world = await openWalletWorld(t, { engine, random, env: { WALLET_WAIT_MS: '2000' } })
  const { clock, accountId, db } = world
  const shop = new Signer(900).address
  const instances = [await world.start(), await world.start()]
  const terms = { lifetimeMilliseconds: YEARS }
  const rich = [await world.create(instances[0]!, terms), await world.create(instances[1]!, terms)]
  const poor = await world.create(instances[0]!, terms)
  for (const address of rich) await world.deposit(address, nano(100_000))
  await world.deposit(poor, nano(3))
  const wishes: Wish[] = []
  const outcomes = new Map<string, number>()
  const note = (name: string) => outcomes.set(name, (outcomes.get(name) ?? 0) + 1)

  const wish = (): Wish => {
    const from = random.below(5) === 0 ? poor : random.pick(rich)
    const amount =
      from === poor && random.below(2) === 0 ? 'all' : toRaw((nano(1 + random.below(20)) + random.bigint(90)) / 10n)
    const made: Wish = { from, amount, by: random.pick(['parent', 'child', 'other']), key: `wish-${wishes.length}` }
    wishes.push(made)
    return made
  }
  const send = async ({ ctx }: Instance, { from, amount, by, key }: Wish) => {
    try {
      const request = { accountId, from, destination: shop, amount, idempotencyKey: key, rights: RIGHTS[by] }
      await sendFromWallet(ctx, { ...request, actor: OPERATOR })
      note('sent')
    } catch (error) {
      const code = error instanceof AppError ? error.code : error instanceof Crash ? 'died' : undefined
      const isDying = instances.some(({ faults }) => faults.dead)
      if (code === undefined ? !isDying : code !== 'died' && !EXPECTED.has(code)) throw error
      note(code ?? 'died')
    }
  }
  const revive = async () => {
    for (const [at, { faults }] of instances.entries()) {
      if (!faults.dead) continue
      clock.advance(LEASE)
      instances[at] = await world.start()
    }
  }

  for (let step = 0; step < steps; step++) {
    // Sometimes a day ends while a send is in progress.
    if (random.below(8) === 0) clock.advance(endOfDay(clock.now()) - clock.now() - 1 - random.below(400))
    else if (random.below(5) === 0) clock.advance(random.below(24) * HOUR + random.below(HOUR))
    if (random.below(4) === 0) {
      random.pick(instances).faults.crashAt(1 + random.below(25), random.below(2) === 0 ? 'before' : 'after')
    }
    const isRough = random.below(3) === 0
    world.trouble = () => {
      if (!isRough || random.below(4) > 0) return 'none'
      return random.below(2) === 0 ? 'request lost' : 'reply lost'
    }
    const atOnce = 1 + random.below(4)
    const repeats = (made: Wish) => (random.below(3) === 0 ? [made, made] : [made])
    const asked = Array.from({ length: atOnce }, () =>
      wishes.length > 0 && random.below(3) === 0 ? random.pick(wishes) : wish(),
    ).flatMap(repeats)
    await world.finish(Promise.all(asked.map((one) => send(random.pick(instances), one))))
    await revive()
    if (random.below(3) === 0) await world.finish(instances[0]!.settle().catch(ifDying(instances)))
    await revive()
  }

  world.trouble = () => 'none'
  for (const { faults } of instances) faults.disarm()
  for (let round = 0; round < 50; round++) {
    clock.advance(60_000)
    await world.finish(instances[round % 2]!.settle())
    if ((await listUnsettled(db, 1)).length === 0) break
  }
  await assertBook(world, shop)
  assert.ok((outcomes.get('sent') ?? 0) > 0 && (outcomes.get('spending_limit') ?? 0) > 0, 'both were tried')
  t.diagnostic([...outcomes].map(([name, count]) => `${name} ${count}`).join(', '))
}

const ifDying = (instances: readonly Instance[]) => (error: unknown) => {
  if (!instances.some(({ faults }) => faults.dead)) throw error
}

/** The day's sends on the ledger must equal what the books say the keys have spent, and never exceed a limit. */
async function assertBook({ db, fundsOf }: WalletWorld, shop: string): Promise<void> {
  const sends = await db
    .selectFrom('wallet_blocks')
    .select(['id', 'status', 'amount_raw', 'created_at', 'signed_at'])
    .where('kind', '=', 'send')
    .execute()
  const left = sends.filter(({ status }) => status !== 'refused')
  assert.ok(left.every(({ status }) => status === 'confirmed'))
  assert.equal(
    left.reduce((sum, { amount_raw: raw }) => sum + BigInt(raw!), 0n),
    fundsOf(shop),
    'the ledger has them all',
  )
  const days = await db.selectFrom('key_spend_days').selectAll().execute()
  for (const { limit_id: id, day, spent_raw: spent } of days) {
    const references = await db
      .selectFrom('key_spends')
      .select('reference')
      .where('limit_id', '=', id)
      .where('day', '=', day)
      .execute()
    const counted = left.filter((block) => references.some(({ reference }) => reference === block.id))
    assert.equal(counted.length, references.length, 'nothing is set aside for what never left')
    assert.ok(
      counted.every(({ signed_at: at }) => dayOf(at!) === day),
      'what counts for a day was signed on it',
    )
    const sum = counted.reduce((total, { amount_raw: raw }) => total + BigInt(raw!), 0n)
    assert.equal(BigInt(spent), sum, `${id} on ${day}`)
    assert.ok(sum <= (id === PARENT.id ? LIMIT : CHILD_LIMIT), `${id} on ${day} is ${sum}`)
  }
  // Each was sent with a key that has the parent's limit.
  for (const day of new Set(left.map(({ signed_at: at }) => dayOf(at!)))) {
    const sum = left
      .filter(({ signed_at: at }) => dayOf(at!) === day)
      .reduce((total, { amount_raw: raw }) => total + BigInt(raw!), 0n)
    assert.ok(sum <= LIMIT, `${sum} left on ${day}`)
  }
}

/** A send of all that a key may spend, repeated until it gets the hash: it must count once, and nothing may be left for another. */
const spendAll: Scenario = async (world, instance) => {
  const destination = stranger()
  const from = await world.create(instance)
  await world.deposit(from, nano(3))
  const rights: KeyRights = {
    scopes: undefined,
    limits: [{ id: `key of ${from}`, perMinute: undefined, spendDaily: nano(1) }],
  }
  const request = { accountId: world.accountId, from, destination, amount: nano(1), idempotencyKey: from, rights }
  return {
    act: ({ ctx }) => sendFromWallet(ctx, { ...request, actor: OPERATOR }),
    check: async () => {
      assert.equal(world.fundsOf(destination), nano(1))
      const other = await world.start()
      const more = sendFromWallet(other.ctx, {
        ...request,
        actor: OPERATOR,
        amount: toRaw(1n),
        idempotencyKey: undefined,
      })
      await assert.rejects(world.finish(more), {
        code: 'spending_limit',
        message: /; 1 nano is already spent or reserved/,
      })
    },
  }
}

test('keys never spend more in a day than they may, whatever fails, and failed sends are given back', (t) =>
  spend(t, 'memory', SEED, isThorough ? 400 : 150))

describe('real stores', { concurrency: 2 }, () => {
  for (const engine of ENGINES) {
    test(`${engine}: the same with statements of two gateways side by side`, (t) =>
      spend(t, engine, SEED + 1, isThorough ? 80 : 40))
  }
})

for (const moment of ['before', 'after'] as const) {
  test(`a send that dies ${moment} any of its calls counts once when it is repeated`, (t) =>
    failEverywhere(t, spendAll, always('memory', { moment, deadly: true })))
}

// Otherwise an amount reserved on one day would be sent on the next, in addition to that day's limit.
test('sends that wait behind another block at midnight are taken back, and the new day has its whole limit', async (t) => {
  const world = await openWalletWorld(t, { engine: 'memory', random: new SeededRandom(SEED) })
  const { clock, ledger, accountId } = world
  const { ctx } = await world.start()
  const from = await world.create({ ctx } as Instance)
  await world.deposit(from, nano(50))
  const send = (amount: Raw) =>
    world.finish(
      sendFromWallet(ctx, {
        actor: OPERATOR,
        accountId,
        from,
        destination: stranger(),
        amount,
        idempotencyKey: undefined,
        rights: RIGHTS.parent,
      }),
    )
  await send(nano(1))
  clock.advance(endOfDay(clock.now()) - clock.now() - 2_000)
  ledger.hold()
  await send(nano(1))
  clock.after(3_000, () => void ledger.release())
  await assert.rejects(send(nano(8)), { code: 'wallet_busy' })
  clock.advance(3_000)
  await ledger.release()
  await send(nano(10))
  await assert.rejects(send(toRaw(1n)), { code: 'spending_limit' })
})
