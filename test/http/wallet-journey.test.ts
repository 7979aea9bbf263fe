import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { block as sign, wallet } from 'nanocurrency-web'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { give, nano } from '../support/blocks.ts'
import { type Gateway, openGateway } from '../support/gateway.ts'

/*
 * What a wallet does all day, with blocks made by a library that others wrote: everything goes through the gateway,
 * whose work is good enough for its own ledger (clients 3 and 7).
 */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const ZERO = '0'.repeat(64)
const accountAt = (index: number): Account => wallet.legacyAccounts('E'.repeat(64), index, index)[0]!
const ann = accountAt(0)
const ben = accountAt(1)

interface Account {
  address: string
  publicKey: string
  privateKey: string
}

type Members = Record<string, string>

/** A wallet that knows the gateway and nothing else. */
class Wallet {
  readonly #gateway: Gateway
  readonly #account: Account
  /** Nault sends its blocks as text, others as objects; both must do. */
  readonly #asText: boolean

  constructor(gateway: Gateway, account: Account, { asText }: { asText: boolean }) {
    this.#gateway = gateway
    this.#account = account
    this.#asText = asText
  }

  async ask<T = Members>(action: string, parameters: object = {}): Promise<T> {
    const reply = await this.#gateway.call(action, { account: this.#account.address, ...parameters })
    assert.equal(reply.status, 200, reply.text)
    return reply.json<T>()
  }

  async balance(): Promise<Members> {
    await this.#gateway.confirmed()
    return this.ask('account_balance')
  }

  async send(to: string, amountNano: string): Promise<string> {
    const { frontier, balance, representative } = await this.#state()
    const data = {
      fromAddress: this.#account.address,
      toAddress: to,
      representativeAddress: representative!,
      walletBalanceRaw: balance!,
      amountRaw: (await this.ask('nano_to_raw', { amount: amountNano })).raw!,
      frontier: frontier!,
      work: await this.#work(frontier!, 'send'),
    }
    return this.#publish('send', sign.send(data, this.#account.privateKey))
  }

  async receiveAll(): Promise<string[]> {
    await this.#gateway.confirmed()
    const waiting = await this.ask<Members[]>('receivable', { count: '10', array: 'true' })
    const hashes: string[] = []
    for (const { hash, amount } of waiting) {
      const { frontier, balance, representative } = await this.#state()
      const data = {
        toAddress: this.#account.address,
        representativeAddress: representative!,
        walletBalanceRaw: balance!,
        amountRaw: amount!,
        transactionHash: hash!,
        frontier: frontier!,
        work: await this.#work(frontier === ZERO ? this.#account.publicKey : frontier!, 'receive'),
      }
      const subtype = frontier === ZERO ? 'open' : 'receive'
      hashes.push(await this.#publish(subtype, sign.receive(data, this.#account.privateKey)))
    }
    return hashes
  }

  async change(representative: string): Promise<string> {
    const { frontier, balance } = await this.#state()
    const data = {
      address: this.#account.address,
      representativeAddress: representative,
      walletBalanceRaw: balance!,
      frontier: frontier!,
      work: await this.#work(frontier!, 'change'),
    }
    return this.#publish('change', sign.representative(data, this.#account.privateKey))
  }

  /** Frontier and balance from one answer, never from two. */
  async #state(): Promise<Members> {
    const info = await this.ask('account_info', { representative: 'true' })
    return info.error === 'Account not found' ? { frontier: ZERO, balance: '0', representative: GENESIS } : info
  }

  async #work(hash: string, subtype: string): Promise<string> {
    const { work, ...result } = await this.ask('work_generate', { hash, subtype })
    assert.match(work!, /^[0-9a-f]{16}$/)
    assert.equal(result.frontier, hash.toUpperCase())
    const checked = await this.ask('work_validate', { hash, work, difficulty: result.difficulty })
    assert.equal(checked.valid, '1')
    assert.equal(subtype === 'receive' ? checked.valid_receive : checked.valid_all, '1')
    return work!
  }

  async #publish(subtype: string, block: object): Promise<string> {
    const { hash: expected } = await this.ask('block_hash', { json_block: 'true', block })
    const form = this.#asText ? { block: JSON.stringify(block) } : { json_block: 'true', block }
    const { hash } = await this.ask('process', { subtype, ...form })
    assert.equal(hash, expected)
    return hash!
  }
}

async function openWallets(t: TestContext) {
  const gateway = await openGateway(t)
  await give(gateway.app.devnet!.node, fromAddress(ann.address)!, nano(100))
  return { gateway, ann: new Wallet(gateway, ann, { asText: false }), ben: new Wallet(gateway, ben, { asText: true }) }
}

test('a wallet opens, sends, receives and changes its representative through the gateway (contract 4.1, rules 1, 2 and 3; 4.1, Blocks and work: process, work_generate; 1, Product areas: 1. Node reads and writes)', async (t) => {
  const wallets = await openWallets(t)
  assert.deepEqual(await wallets.ann.balance(), {
    balance: '0',
    balance_nano: '0',
    pending: nano(100).toString(),
    pending_nano: '100',
    receivable: nano(100).toString(),
    receivable_nano: '100',
  })
  const [opened] = await wallets.ann.receiveAll()
  // A read after a write sees the write, whatever was remembered before.
  assert.equal((await wallets.ann.balance()).balance_nano, '100')

  const sent = await wallets.ann.send(ben.address, '12.000000000000000000000000000001')
  assert.equal((await wallets.ann.balance()).balance_nano, '87.999999999999999999999999999999')
  assert.equal((await wallets.ben.balance()).receivable_nano, '12.000000000000000000000000000001')

  const [benOpened] = await wallets.ben.receiveAll()
  assert.deepEqual(await wallets.ben.receiveAll(), [], 'nothing is received twice')
  const changed = await wallets.ben.change(ann.address)
  const returned = await wallets.ben.send(ann.address, '2')
  const [received] = await wallets.ann.receiveAll()
  assert.equal((await wallets.ann.balance()).balance_nano, '89.999999999999999999999999999999')

  const infoOfBen = await wallets.ben.ask('account_info', { representative: true })
  assert.deepEqual(
    [infoOfBen.frontier, infoOfBen.representative, infoOfBen.balance_nano, infoOfBen.block_count],
    [returned, ann.address, '10.000000000000000000000000000001', '3'],
  )
  const { history } = await wallets.ann.ask<{ history: Members[] }>('account_history', { count: '-1' })
  assert.deepEqual(
    history.map(({ type, account, hash, amount_nano, confirmed }) => [type, account, hash, amount_nano, confirmed]),
    [
      ['receive', ben.address, received, '2', 'true'],
      ['send', ben.address, sent, '12.000000000000000000000000000001', 'true'],
      ['receive', GENESIS, opened, '100', 'true'],
    ],
  )
  const { blocks } = await wallets.ann.ask<{ blocks: Record<string, Members & { contents: Members }> }>('blocks_info', {
    hashes: [sent, benOpened, changed],
    receive_hash: 'true',
    source: 'true',
  })
  assert.deepEqual(
    [sent, benOpened, changed]
      .map((hash) => blocks[hash!]!)
      .map(({ subtype, receive_hash }) => [subtype, receive_hash]),
    [
      ['send', benOpened],
      ['receive', ZERO],
      ['change', ZERO],
    ],
  )
  assert.equal(blocks[benOpened!]!.source_account, ann.address)
  assert.equal(blocks[sent]!.contents.balance_nano, '87.999999999999999999999999999999')
  const found = await wallets.ben.ask<{ block: Members }>('find_block', { address: ann.address, amount: '2' })
  assert.deepEqual([found.block.hash, found.block.amount_raw], [received, nano(2).toString()])
})

test('200 with the exact words of the ledger for a block it refuses (contract 7, rules 1 and 5; 7, Texts and codes: answer of the ledger; 7, Status codes: 200)', async (t) => {
  const wallets = await openWallets(t)
  await wallets.ann.receiveAll()
  const { frontier, balance, representative } = await wallets.ann.ask('account_info', { representative: 1 })
  const { work } = await wallets.ann.ask('work_generate', { hash: frontier })
  const draft = {
    fromAddress: ann.address,
    toAddress: ben.address,
    representativeAddress: representative!,
    walletBalanceRaw: balance!,
    amountRaw: '1',
    frontier: frontier!,
    work: work!,
  }
  const good = sign.send(draft, ann.privateKey)
  const process = (block: object, subtype?: string) =>
    wallets.ann.ask('process', { json_block: 'true', block, subtype })
  assert.deepEqual(await process({ ...good, signature: 'A'.repeat(128) }), { error: 'Bad signature' })
  assert.deepEqual(await process({ ...good, work: '0'.repeat(16) }), { error: 'Block work is less than threshold' })
  const orphan = sign.send({ ...draft, frontier: 'AB'.repeat(32) }, ann.privateKey)
  assert.deepEqual(await process({ ...orphan, work: await workFor(wallets.ann, 'AB'.repeat(32)) }), {
    error: 'Gap previous block',
  })
  const { hash } = await process(good, 'send')
  assert.match(hash!, /^[0-9A-F]{64}$/)
  assert.deepEqual(await process(good), { error: 'Old block' })
  const other = sign.send({ ...draft, amountRaw: '2' }, ann.privateKey)
  assert.deepEqual(await process(other), { error: 'Fork' })
  assert.equal((await wallets.ann.balance()).balance, (nano(100) - 1n).toString(), 'one block came through')
})

const workFor = async (wallet: Wallet, hash: string) => (await wallet.ask('work_generate', { hash })).work
