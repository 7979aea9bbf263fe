import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { give, nano } from '../support/blocks.ts'
import { type Gateway, openGateway } from '../support/gateway.ts'
import type { Endpoint } from './clients.ts'
import { keepFoundWork, listSearched } from './found-work.ts'

/** What a client is given: URLs for requests and websockets, and a funded sender. */
export interface World extends Gateway {
  /** For requests. */
  at: string
  /** For websockets. */
  wsAt: string
  /** Sends to an address and waits for the confirmation. */
  pay(address: string, amount: number): Promise<string>
  /** Whole nano and representative of an account, read from the ledger itself. */
  ledgerOf(address: string): { balance: bigint; representative: string } | undefined
}

/**
 * Settings of other tests that are undone here, so that clients run against the defaults of `npm start`. Ports stay random, and the treasury stays empty,
 * because its address is random and would change every later hash.
 */
const UNSET = {
  LIMIT_ANONYMOUS_PER_MINUTE: undefined,
  LIMIT_ANONYMOUS_CONCURRENCY: undefined,
  FREE_WORK_ANONYMOUS_PER_HOUR: undefined,
  PRICE_PROVIDERS: undefined,
  WORK_CARDS: undefined,
  WORK_NODES: undefined,
  WORK_THREADS: undefined,
  X402_ACTIONS: undefined,
} as unknown as Record<string, string>

export async function openWorld(t: TestContext, access: Endpoint): Promise<World> {
  // Registered first, so that it runs before the gateway is closed.
  t.after(async () => {
    for (const { root, work } of await listSearched(gateway.ctx.db)) {
      t.diagnostic(
        `A test has changed. Its work was searched; put it into test/gallery/found-work.ts: '${root}': '${work}'`,
      )
    }
  })
  const gateway = await openGateway(t, UNSET)
  await keepFoundWork({ db: gateway.ctx.db, now: gateway.ctx.clock.now() })
  const { node } = gateway.app.devnet!
  const at = `${gateway.url}${access.replace('<key>', gateway.app.createdKey!)}`
  return {
    ...gateway,
    at,
    wsAt: `${at.replace('http', 'ws')}${access === '/node' ? '' : 'ws'}`,
    pay: (address, amount) => give(node, fromAddress(address)!, nano(amount)),
    ledgerOf: (address) => node.ledger.store.findAccount(fromAddress(address)!),
  }
}

/** Read from the ledger, not through the client or the gateway. */
export function assertBalance(world: World, address: string, amount: bigint): void {
  assert.equal(world.ledgerOf(address)?.balance, amount, `balance of ${address}`)
}

export function assertRepresentative(world: World, address: string, representative: string): void {
  assert.equal(world.ledgerOf(address)?.representative, fromAddress(representative))
}

/** The client's history of an account that received five and sent two, newest first. */
export function assertHistory(history: readonly Record<string, string>[]): void {
  const told = history.map(({ type, amount }) => `${type} ${amount}`)
  assert.deepEqual(told, [`send ${nano(2)}`, `receive ${nano(5)}`])
}

/** Accounts of others. */
export const FRIEND = 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8'
export const REPRESENTATIVE = 'nano_1banexkcfuieufzxksfrxqf6xy8e57ry1zdtq9yn7jntzhpwu4pg4hajojmq'
