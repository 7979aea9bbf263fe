import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { Signer } from './blocks.ts'
import { type Gateway, type Reply, openGateway } from './gateway.ts'

export const SHOP = new Signer(1).address
export const ALICE = new Signer(2).address
export const BOB = new Signer(3).address

export type Answer = Record<string, unknown>

/** A user of cloud wallets over HTTP. */
export interface Client {
  gateway: Gateway
  key: string
  /** A call of `cloud_wallet` that must succeed. */
  ask<T = Record<string, string>>(parameters: object, headers?: Record<string, string>): Promise<T>
  /** A call of `cloud_wallet` with any result. */
  call(parameters: object, headers?: Record<string, string>): Promise<Reply>
  create(parameters?: object): Promise<string>
  /** A confirmed deposit, not received yet. */
  deposit(address: string, nano: string): Promise<string>
  balanceOf(address: string): Promise<{ balance: string; receivable: string }>
}

export async function openClient(t: TestContext, env: Record<string, string> = {}, clock?: Clock): Promise<Client> {
  const gateway = await openGateway(t, env, clock)
  return clientWith(gateway, gateway.app.createdKey!)
}

export function clientWith(gateway: Gateway, key: string): Client {
  const call: Client['call'] = (parameters, headers) => gateway.call('cloud_wallet', { key, ...parameters }, headers)
  const client: Client = {
    gateway,
    key,
    call,
    ask: async <T>(parameters: object, headers?: Record<string, string>) => {
      const reply = await call(parameters, headers)
      assert.equal(reply.status, 200, reply.text)
      return reply.json<T>()
    },
    create: async (parameters = {}) => (await client.ask(parameters)).address!,
    deposit: async (address, nano) => {
      const hash = await gateway.app.devnet!.node.fund(fromAddress(address)!, parseNano(nano)!)
      await gateway.confirmed()
      return hash
    },
    balanceOf: async (address) => {
      await gateway.confirmed()
      const reply = await gateway.call('account_balance', { account: address })
      return reply.json<{ balance: string; receivable: string }>()
    },
  }
  return client
}

/** A second customer of the same gateway. */
export async function openStranger({ gateway }: Client): Promise<Client> {
  return clientWith(gateway, (await gateway.join()).key)
}
