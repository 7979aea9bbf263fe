import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LedgerNode } from '../../src/devnet/index.ts'
import { useFastestCurve } from '../../src/infra/sodium-curve.ts'
import { answerBody } from '../../src/devnet/server.ts'
import { RAW_PER_NANO, type Raw } from '../../src/kernel/money.ts'
import { type Block, type StateBlock, ZERO_HASH, hashBlock, rootOf, toBlockJson } from '../../src/kernel/nano/block.ts'
import { publicKeyOf, signHash } from '../../src/kernel/nano/keys.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { formatWork, workValue } from '../../src/kernel/nano/work.ts'
import { Signer } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { type SeededRandom, repeat } from '../support/random.ts'
import { isThorough } from '../support/thorough.ts'
import { SecondLedger } from './second-ledger.ts'

const BLOCKS = isThorough ? 6_000 : 2_000
const BLOCKS_MAX = 10 * BLOCKS
const COMPARED_EVERY = 250
/** Thresholds so low that work is found within a few tries, and wrong work is as easy to find. */
const WORK = { old: 0xc000000000000000n, send: 0xd000000000000000n, receive: 0x8000000000000000n }
const EPOCHS = [1, 2].map((version) =>
  Buffer.from(`epoch v${version} block`.padEnd(32, '\0')).toString('hex').toUpperCase(),
)

interface Person {
  key: string
  privateKey: string
}

// Two implementations of the same rules may both have mistakes, but hardly the same ones.
test('a second ledger, written from the protocol alone, gives every random block the same verdict and ends with the same money', async (t) => {
  await repeat(1, async (random) => {
    // The second ledger verifies signatures with noble, so this one uses the fast library.
    useFastestCurve()
    const thresholds = { epoch1: WORK.old, send: WORK.send, receive: WORK.receive }
    const { node } = await openDevnet(t, { thresholds, confirmAfterMilliseconds: 0 })
    const second = new SecondLedger(WORK)
    const stream = new BlockStream(random, second)
    const verdicts = new Map<string, number>()
    const missing = () => VERDICTS.filter((verdict) => !verdicts.has(verdict)).join(', ')
    for (let at = 0; at < BLOCKS || missing() !== ''; at++) {
      assert.ok(at < BLOCKS_MAX, `no block was refused with: ${missing()}`)
      const { block, subtype } = stream.next()
      const expected = second.process(block, subtype)
      const request = { action: 'process', json_block: 'true', block: toBlockJson(block), ...(subtype && { subtype }) }
      const answer = JSON.parse(await answerBody(node, JSON.stringify(request), true)) as Record<string, string>
      const told = 'hash' in expected ? expected : { error: expected.refused }
      assert.deepEqual(answer, told, `block ${at}: ${JSON.stringify(request)}`)
      const verdict = 'hash' in expected ? 'taken' : expected.refused
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
      if (at % COMPARED_EVERY === 0) compare(node, second)
    }
    compare(node, second)
    t.diagnostic([...verdicts].map(([verdict, count]) => `${count} ${verdict}`).join(', '))
    assert.ok(verdicts.get('taken')! > BLOCKS / 5, 'most of what makes a ledger is what it takes')
  })
})

/** What a stream meets sooner or later; some of it comes five times among two thousand blocks, and may be late. */
const VERDICTS = [
  'Old block',
  'Bad signature',
  'Fork',
  'Gap previous block',
  'Gap source block',
  'Gap pending for open epoch block',
  'Unreceivable',
  'Balance and amount delta do not match',
  'Block work is less than threshold',
  'Block work is insufficient',
  'This block cannot follow the previous block',
  'Error processing block',
  'Invalid block balance for given subtype',
]

function compare({ ledger: { store } }: LedgerNode, second: SecondLedger): void {
  const accounts = [...store.accountsFrom(ZERO_HASH)].map((one) => [
    one.account,
    {
      head: one.head,
      representative: one.representative,
      balance: one.balance,
      epoch: one.epoch,
      blocks: one.blockCount,
    },
  ])
  const byKey = (a: [string, unknown], b: [string, unknown]) => (a[0] < b[0] ? -1 : 1)
  assert.deepEqual(accounts, [...second.accounts].sort(byKey))
  for (const [account, open] of second.open) {
    const waiting = [...store.receivableOf(account)].map(({ hash, amount, epoch }) => [hash, { amount, epoch }])
    assert.deepEqual(waiting, [...open].sort(byKey))
  }
}

/** Generates valid blocks and blocks with one mistake, based on the second ledger's state. */
class BlockStream {
  readonly #random: SeededRandom
  readonly #ledger: SecondLedger
  readonly #people: Person[]
  readonly #past: Block[] = []
  /** Blocks held back until another has been built on them. */
  readonly #late: Block[] = []

  constructor(random: SeededRandom, ledger: SecondLedger) {
    this.#random = random
    this.#ledger = ledger
    const genesis = DEV_NETWORK.genesisPrivateKey
    this.#people = [
      { privateKey: genesis, key: publicKeyOf(genesis) },
      ...Array.from({ length: 14 }, (_, at) => new Signer(at + 1)),
    ]
  }

  next(): { block: Block; subtype: string | undefined } {
    const random = this.#random
    const block = this.#choose()
    this.#past.push(block)
    const subtype =
      random.below(8) === 0 ? random.pick(['send', 'receive', 'open', 'change', 'epoch', 'gift']) : undefined
    return { block, subtype }
  }

  #choose(): Block {
    const random = this.#random
    const dice = random.below(100)
    if (dice < 4 && this.#past.length > 0) return random.pick(this.#past)
    if (dice < 8 && this.#late.length > 0) return this.#late.splice(random.below(this.#late.length), 1)[0]!
    if (dice < 12) return this.#old()
    if (dice < 22) return this.#epoch()
    const block = this.#good()
    if (dice < 30) return this.#spoil(block)
    if (dice < 35) {
      // Its successor is published first.
      this.#late.push(block)
      return this.#finish(random.pick(this.#people), {
        ...block,
        previous: hashBlock(block),
        link: ZERO_HASH,
        representative: random.pick(this.#people).key,
      })
    }
    return block
  }

  /** A valid next block. */
  #good(): StateBlock {
    const random = this.#random
    const person = random.pick(this.#people)
    const account = this.#ledger.accounts.get(person.key)
    const from = {
      previous: account?.head ?? ZERO_HASH,
      representative: account?.representative ?? random.pick(this.#people).key,
      balance: account?.balance ?? 0n,
    }
    const waiting = [...(this.#ledger.open.get(person.key) ?? [])]
    if (waiting.length > 0 && (!account || random.below(2) === 0)) {
      const [hash, { amount }] = random.pick(waiting)
      return this.#finish(person, { ...from, balance: from.balance + amount, link: hash })
    }
    if (account && account.balance > 0n && random.below(4) > 0) {
      const most = account.balance < 100n * RAW_PER_NANO ? account.balance : 100n * RAW_PER_NANO
      const amount = 1n + (random.bigint(120) % most)
      return this.#finish(person, { ...from, balance: from.balance - amount, link: random.pick(this.#people).key })
    }
    return this.#finish(person, { ...from, representative: random.pick(this.#people).key, link: ZERO_HASH })
  }

  /** The same block with one change, which may still be valid. */
  #spoil(block: StateBlock): Block {
    const random = this.#random
    const person = this.#people.find(({ key }) => key === block.account)!
    const again = (change: Partial<StateBlock>) => this.#finish(person, { ...block, ...change })
    const anyHash = () => (this.#past.length > 0 ? hashBlock(random.pick(this.#past)) : random.hex(64))
    switch (random.below(9)) {
      case 0:
        return { ...block, signature: random.hex(128) }
      case 1:
        return this.#finish(random.pick(this.#people), block)
      case 2:
        return again({ balance: (block.balance + 1n) as Raw })
      case 3:
        return again({ previous: random.pick([ZERO_HASH, anyHash(), random.hex(64)]) })
      case 4:
        return again({ link: random.pick([ZERO_HASH, anyHash(), random.hex(64)]) })
      case 5:
        return again({ balance: random.bigint(128) as Raw })
      case 6:
        return again({ balance: (block.balance + 1n) as Raw, link: anyHash() })
      case 7:
        return { ...block, work: formatWork(random.bigint(64)) }
      default:
        return again({ representative: random.pick(this.#people).key, previous: anyHash() })
    }
  }

  #epoch(): StateBlock {
    const random = this.#random
    // Sometimes an account that has never received anything.
    const key = random.below(6) === 0 ? random.hex(64) : random.pick(this.#people).key
    const account = this.#ledger.accounts.get(key)
    const signer = random.below(5) === 0 ? random.pick(this.#people) : this.#people[0]!
    const strange = random.below(4) === 0
    return this.#finish(signer, {
      account: key,
      previous: account?.head ?? (strange ? random.hex(64) : ZERO_HASH),
      representative: strange ? random.pick(this.#people).key : (account?.representative ?? ZERO_HASH),
      balance: random.below(6) === 0 ? random.bigint(100) : (account?.balance ?? 0n),
      link: random.pick(EPOCHS),
    })
  }

  /** A legacy block. */
  #old(): Block {
    const random = this.#random
    const person = random.pick(this.#people)
    const account = this.#ledger.accounts.get(person.key)
    const previous = random.pick([account?.head ?? random.hex(64), random.hex(64), DEV_NETWORK.genesisHash])
    const source = random.pick([...(this.#ledger.open.get(person.key)?.keys() ?? []), random.hex(64)])
    const representative = random.pick(this.#people).key
    const unsigned = { signature: '', work: '' }
    const draft: Block = random.pick<Block>([
      { type: 'send', previous, destination: representative, balance: random.bigint(128) as Raw, ...unsigned },
      { type: 'receive', previous, source, ...unsigned },
      { type: 'open', source, representative, account: person.key, ...unsigned },
      { type: 'change', previous, representative, ...unsigned },
    ])
    const signature = random.below(3) === 0 ? random.hex(128) : signHash(person.privateKey, hashBlock(draft))
    return { ...draft, signature, work: this.#work(rootOf(draft), WORK.old) }
  }

  #finish(person: Person, fields: Partial<Omit<StateBlock, 'balance'>> & { balance: bigint }): StateBlock {
    const {
      account = person.key,
      previous = ZERO_HASH,
      representative = person.key,
      balance,
      link = ZERO_HASH,
    } = fields
    const draft: StateBlock = {
      type: 'state',
      account,
      previous,
      representative,
      balance: balance as Raw,
      link,
      signature: '',
      work: '',
    }
    const signature = signHash(person.privateKey, hashBlock(draft))
    return { ...draft, signature, work: this.#work(rootOf(draft), WORK.send) }
  }

  /** Usually enough work for every kind of block, sometimes only for a receive. */
  #work(root: string, threshold: bigint): string {
    const enough = this.#random.below(12) === 0 ? WORK.receive : threshold
    for (;;) {
      const work = formatWork(this.#random.bigint(64))
      if (workValue(root, work) >= enough) return work
    }
  }
}
