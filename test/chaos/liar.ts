import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer, listen } from '../../src/devnet/server.ts'
import type { Db } from '../../src/kernel/db.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Inventions } from '../support/inventions.ts'
import type { SeededRandom } from '../support/random.ts'
import { post } from '../support/rpc.ts'
import type { NodePlace } from './ledger.ts'

type Answer = Record<string, string>
type Lie = (answer: Answer, body: string) => object

/** The most addresses in one lie. */
const TARGETS_MAX = 20

/** The second of three nodes: it relays answers of the one real ledger, unless it is made to lie. */
export class Liar {
  readonly #node: NodePlace
  readonly #random: SeededRandom
  readonly #inventions = new Inventions()
  readonly #lies = new Map<string, Lie>()
  readonly #known = new Map<string, string>()
  readonly #server: Server = createServer((request, response) => {
    this.#serve(request, response).catch(() => request.socket.destroy())
  })
  #url = ''

  constructor(node: NodePlace, random: SeededRandom) {
    this.#node = node
    this.#random = random
  }

  get url(): string {
    return this.#url
  }

  async start(): Promise<void> {
    await listen(this.#server, '127.0.0.1', 0)
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): Promise<void> {
    return closeServer(this.#server)
  }

  /** Like `FaultyNode`: replaces the answers to an action from now on. */
  lie(action: string, lie: Lie): void {
    this.#lies.set(action, lie)
  }

  beHonest(): void {
    this.#lies.clear()
  }

  /** Claims that open checkouts were paid and that wallets received something. */
  async invent(db: Db): Promise<void> {
    const open = await db
      .selectFrom('checkouts')
      .select(['address', 'amount_raw'])
      .where('status', '=', 'pending')
      .limit(TARGETS_MAX)
      .execute()
    const wallets = await db
      .selectFrom('wallets')
      .select('address')
      .where('status', '=', 'active')
      .limit(TARGETS_MAX)
      .execute()
    for (const { address, amount_raw: raw } of [
      ...open,
      ...wallets.map((wallet) => ({ ...wallet, amount_raw: null })),
    ]) {
      this.#inventions.pay(address, BigInt(raw ?? '0') || this.#random.bigint(80) + 1n, fromAddress(address)!)
    }
    this.#inventions.reportThrough(this)
  }

  /** Claims that no requested block exists and that nothing is receivable. */
  withhold(): void {
    this.lie('blocks_info', (answer) => ({ ...answer, blocks: '' }))
    this.lie('block_info', () => ({ error: 'Block not found' }))
    for (const action of ['accounts_receivable', 'receivable'])
      this.lie(action, (answer) => ({ ...answer, blocks: '' }))
  }

  /** Claims that every block moved a different amount. */
  changeAmounts(): void {
    const change = (told: object) => ({ ...told, amount: '1', balance: '1' })
    this.lie('block_info', (answer) => (answer.error === undefined ? change(answer) : answer))
    this.lie('blocks_info', (answer) => {
      const blocks = Object.entries((answer.blocks ?? {}) as unknown as Record<string, object>)
      return { ...answer, blocks: Object.fromEntries(blocks.map(([hash, told]) => [hash, change(told)])) as object }
    })
  }

  /** Answers with the state of each account at the first request about it. */
  answerAsBefore(): void {
    for (const action of ['account_info', 'accounts_frontiers', 'account_balance']) {
      this.lie(action, (answer, body) => {
        const known = this.#known.get(body)
        return known === undefined ? answer : (JSON.parse(known) as object)
      })
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { text } = await post(this.#node.rpcUrl, body)
    const { action } = JSON.parse(body) as { action: string }
    if (this.#known.size < 10_000 && !this.#known.has(body)) this.#known.set(body, text)
    const lie = this.#lies.get(action)
    const told = lie ? JSON.stringify(lie(JSON.parse(text) as Answer, body)) : text
    response.writeHead(200, { 'Content-Length': Buffer.byteLength(told), Connection: 'close' })
    response.end(told)
  }
}
