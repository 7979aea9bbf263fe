import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { parseNano } from '../../src/kernel/money.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Payer } from '../chaos/payer.ts'
import { Purse, patienceOf } from '../support/purse.ts'
import type { SeededRandom } from '../support/random.ts'
import { waitFor } from '../support/until.ts'
import type { RecordedGateway } from './recorded-gateway.ts'

/** An acknowledgement, with the length of the log at that moment. */
export type Promised = { at: number } & (
  | { kind: 'key'; key: string }
  | { kind: 'wallet'; address: string }
  | { kind: 'checkout'; id: string; amountRaw: string; reference: string }
  /** A block that the ledger has accepted. */
  | { kind: 'block'; hash: string }
  | { kind: 'paid'; id: string; hash: string }
  | { kind: 'send'; hash: string; wallet: string; reference: string }
  | { kind: 'event'; id: string; body: string }
)
type Told = Promised extends infer One ? (One extends Promised ? Omit<One, 'at'> : never) : never

const CALLERS = 3
const PATIENCE = patienceOf('dev')
const never = new AbortController().signal

/** Uses a gateway as shops, payers and wallet owners do, and records everything it acknowledges. */
export class Load {
  readonly promises: Promised[] = []
  readonly #gateway: RecordedGateway
  readonly #random: SeededRandom
  readonly #purse: Purse
  readonly #payers: Payer[]
  readonly #wallets: string[] = []
  #key = ''
  #references = 0
  #webhookUrl = ''
  readonly #receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { id } = JSON.parse(body) as { id: string }
      this.#promised({ kind: 'event', id, body })
      response.writeHead(204).end()
    })
  })

  constructor(gateway: RecordedGateway, random: SeededRandom) {
    this.#gateway = gateway
    this.#random = random
    const rpcUrl = gateway.url
    const firstAccount = random.below(2 ** 31)
    this.#purse = new Purse({
      funds: DEV_NETWORK.genesisPrivateKey,
      firstAccount,
      rpcUrl: () => rpcUrl,
      patience: PATIENCE,
    })
    this.#payers = Array.from({ length: CALLERS }, () => new Payer(this.#purse, { rpcUrl, wsUrl: '' }))
  }

  /** Reads the key of the first start, and distributes money. */
  async open(): Promise<void> {
    this.#key = this.#gateway.administratorKey
    this.#promised({ kind: 'key', key: this.#key })
    this.#receiver.listen(0, '127.0.0.1')
    await once(this.#receiver, 'listening')
    this.#webhookUrl = `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}/`
    for (const payer of this.#payers) {
      await payer.open(parseNano('1000')!)
      this.#promised({ kind: 'block', hash: payer.frontier })
      await this.#openWallet()
    }
  }

  /** Runs all callers in parallel, each with that many steps in sequence. */
  async run(steps: number): Promise<void> {
    const walk = async (at: number) => {
      for (let step = 0; step < steps; step++) {
        if (this.#random.below(3) === 0) await this.#send(this.#wallets[at]!)
        else await this.#checkOut(this.#payers[at]!)
      }
    }
    await Promise.all(this.#payers.map((_, at) => walk(at)))
  }

  close(): void {
    this.#receiver.closeAllConnections()
    this.#receiver.close()
  }

  #promised(told: Told): void {
    this.promises.push({ ...told, at: this.#gateway.position })
  }

  async #openWallet(): Promise<void> {
    const { address } = await this.#post({ action: 'cloud_wallet', refund_address: this.#purse.source.address })
    this.#promised({ kind: 'wallet', address: address! })
    this.#wallets.push(address!)
    const hash = await this.#purse.send(this.#purse.source, address!, parseNano('100')!)
    this.#promised({ kind: 'block', hash })
    await this.#post({ action: 'cloud_wallet', account: address, receive: true })
  }

  async #checkOut(payer: Payer): Promise<void> {
    const reference = this.#reference()
    const mode = this.#random.below(3) === 0 ? 'generated_wallet' : 'unique_amount'
    const asked = { action: 'checkout', address: this.#purse.source.address, amount: '0.01', mode }
    const made = await this.#post({ ...asked, webhook_url: this.#webhookUrl }, reference)
    const { id, address, amount_raw: amountRaw } = made as Record<'id' | 'address' | 'amount_raw', string>
    this.#promised({ kind: 'checkout', id, amountRaw, reference })
    if (this.#random.below(4) === 0) return
    const hash = await payer.pay(address, BigInt(amountRaw), { through: undefined, over: never })
    this.#promised({ kind: 'block', hash })
    const isPaid = async () => {
      const check = (await (await fetch(`${this.#gateway.url}/check/${id}`)).json()) as { success: boolean }
      return check.success
    }
    await waitFor(`checkout ${id} is paid`, isPaid, { patience: PATIENCE })
    this.#promised({ kind: 'paid', id, hash })
  }

  async #send(wallet: string): Promise<void> {
    const reference = this.#reference()
    const asked = { action: 'cloud_wallet', account: wallet, send: this.#purse.source.address, amount: '0.001' }
    const { hash } = await this.#post(asked, reference)
    this.#promised({ kind: 'send', hash: hash!, wallet, reference })
  }

  #reference(): string {
    return `power-${++this.#references}`
  }

  async #post(body: object, reference?: string): Promise<Record<string, string>> {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      ...(reference !== undefined && { 'idempotency-key': reference }),
    }
    const response = await fetch(this.#gateway.url, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`The gateway answered ${response.status}: ${text}`)
    return JSON.parse(text) as Record<string, string>
  }
}
