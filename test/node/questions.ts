import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Fault, FaultyNode } from '../support/faulty-node.ts'
import type { GrownLedger } from '../support/grown-ledger.ts'
import type { PooledGateway } from '../support/pooled-gateway.ts'
import { SeededRandom } from '../support/random.ts'
import { call } from '../support/rpc.ts'

const UNKNOWN_HASH = 'F'.repeat(64)

/** A request and the good ledger's answer. */
interface Question {
  action: string
  params: object
  truth: unknown
}

/** Reads of every kind. The good node's own answer is the truth; the gateway may add to it but not change it. */
export async function collectQuestions(good: FaultyNode, { signers, hashes }: GrownLedger): Promise<Question[]> {
  const addresses = signers.map(({ address }) => address)
  const asked: [string, object][] = [
    ['block_count', {}],
    ['version', {}],
    ['accounts_balances', { accounts: addresses }],
    ['accounts_frontiers', { accounts: addresses }],
    ['block_info', { hash: UNKNOWN_HASH, json_block: 'true' }],
    ['account_info', { account: 'nano_1111111111111111111111111111111111111111111111111111hifc8npp' }],
  ]
  for (const account of addresses) {
    asked.push(
      ['account_info', { account, representative: 'true', include_confirmed: 'true', receivable: 'true' }],
      ['account_balance', { account }],
      ['account_balance', { account, include_only_confirmed: 'false' }],
      ['account_history', { account, count: '5' }],
      ['account_history', { account, count: '10', raw: 'true' }],
      ['account_representative', { account }],
      ['account_block_count', { account }],
      ['receivable', { account, count: '10', source: 'true' }],
      ['accounts_balances', { accounts: [account] }],
    )
  }
  for (const hash of hashes) {
    asked.push(['block_info', { hash, json_block: 'true' }])
    asked.push(['blocks_info', { hashes: [hash], json_block: 'true', receive_hash: 'true', source: 'true' }])
  }
  return Promise.all(
    asked.map(async ([action, params]) => ({ action, params, truth: await call<unknown>(good.url, action, params) })),
  )
}

/** Whether `whole` contains everything in `part`. */
export function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return whole === part
  if (typeof whole !== 'object' || whole === null) return false
  return Object.entries(part).every(([name, value]) => contains((whole as Record<string, unknown>)[name], value))
}

/** Results of many reads. */
export class Tally {
  reads = 0
  readonly wrong: unknown[] = []
  readonly failed: unknown[] = []

  /** Sends random requests, with a limit on concurrency. */
  async ask(gateway: PooledGateway, questions: readonly Question[], count: number, concurrency = 50): Promise<void> {
    const random = new SeededRandom(count + this.reads)
    let left = count
    const worker = async () => {
      while (left-- > 0) {
        const { action, params, truth } = random.pick(questions)
        const { status, body } = await gateway.ask(action, params)
        this.reads++
        if (status !== 200) this.failed.push({ action, params, status, body })
        else if (!contains(body, truth)) this.wrong.push({ action, params, body, truth })
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
  }

  assertFlawless(): void {
    assert.deepEqual(this.wrong.slice(0, 3), [], `${this.wrong.length} of ${this.reads} answers are wrong`)
    assert.deepEqual(this.failed.slice(0, 3), [], `${this.failed.length} of ${this.reads} reads failed`)
  }
}

export const startNodes = (t: TestContext, { current, older }: GrownLedger, count: number, fault?: Fault) =>
  Promise.all(Array.from({ length: count }, () => FaultyNode.start(t, { ledger: current, older }, fault)))
