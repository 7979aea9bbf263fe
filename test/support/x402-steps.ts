import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { LedgerNode } from '../../src/devnet/index.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { findPayment } from '../../src/modules/x402/store.ts'
import type { PaymentRequired, SettleResponse } from '../../src/kernel/x402/wire.ts'
import { Signer, frontierOf, nano, openAccount } from './blocks.ts'
import { openDevnet } from './devnet.ts'
import { FaultyNode } from './faulty-node.ts'
import { type Gateway, type Reply, openGateway } from './gateway.ts'

/** Receives x402 payments and nothing else. */
export const SHOP = new Signer(900, WORK_THRESHOLDS.dev)
/** 0.001 nano. */
export const PRICE = 10n ** 27n

let payers = 1000

/** A new account with 5 nano. */
export async function openPayer(node: LedgerNode): Promise<Signer> {
  const payer = new Signer(++payers, WORK_THRESHOLDS.dev)
  await openAccount(node, payer, nano(5))
  return payer
}

/** A gateway on its development ledger that sells `work_generate`. */
export async function openShop(
  t: TestContext,
  env: Record<string, string> = {},
  clock?: Clock,
): Promise<Gateway & { node: LedgerNode }> {
  const gateway = await openGateway(t, { X402_PAY_TO: SHOP.address, ...env }, clock)
  return { ...gateway, node: gateway.app.devnet!.node }
}

/** The same with a node that can misbehave and counts its requests; its ledger is sound. */
export async function openFaultyShop(
  t: TestContext,
  { env = {}, clock }: { env?: Record<string, string>; clock?: Clock } = {},
) {
  const ledger = await openDevnet(t)
  const upstream = await FaultyNode.start(t, { ledger })
  const nodes = { NODE_URLS: upstream.url, NODE_WS_URLS: ledger.wsUrl, NODE_NETWORK: 'dev' }
  const gateway = await openGateway(t, { X402_PAY_TO: SHOP.address, ...nodes, ...env }, clock)
  return { ...gateway, node: ledger.node, upstream, ledger }
}

/** The block that pays for a request. */
export function paymentBlock(node: LedgerNode, payer: Signer, amount = PRICE, to = SHOP.key): StateBlock {
  return payer.send(frontierOf(node, payer.key), to, amount)
}

export const TERMS = {
  scheme: 'exact',
  network: 'nano:mainnet',
  amount: PRICE.toString(),
  asset: 'XNO',
  payTo: SHOP.address,
  maxTimeoutSeconds: 60,
}

export type Members = Record<string, unknown>

/** A payload as a client makes it; fields in `change` replace its own. */
export function payloadOf(block: StateBlock, change: { accepted?: Members; block?: Members; top?: Members } = {}) {
  const { link_as_account: _, ...members } = toBlockJson(block)
  return {
    x402Version: 2,
    payload: { block: { ...members, ...change.block } },
    accepted: { ...TERMS, ...change.accepted },
    ...change.top,
  }
}

export const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
export const decode = (text: unknown): unknown => JSON.parse(Buffer.from(String(text), 'base64').toString())

export const signed = (block: StateBlock) => ({ 'payment-signature': encode(payloadOf(block)) })

export const requiredOf = ({ headers }: Reply) => decode(headers['payment-required']) as PaymentRequired
export const responseOf = ({ headers }: Reply) => decode(headers['payment-response']) as SettleResponse

/** The payment was refused: the answer has the terms of a new payment and no settlement. */
export function assertRefused(reply: Reply, reason: string): void {
  assert.equal(reply.status, 402, reply.text)
  assert.equal(reply.json().code, reason)
  assert.equal(requiredOf(reply).error, reason)
  assert.equal(reply.headers['payment-response'], undefined)
  assert.equal(reply.headers['cache-control'], 'no-store')
}

/** Payments to the shop on the ledger. */
export function paymentsOnLedger(node: LedgerNode): number {
  return Number(node.ledger.receivableSum(SHOP.key, false) / PRICE)
}

/** The expected receipt of a settled payment. */
export const receiptOf = (block: StateBlock, payer: Signer) => ({
  success: true,
  transaction: hashBlock(block),
  network: TERMS.network,
  payer: payer.address,
})

/** The result is pending: neither paid nor refused. The client must not pay again. */
export function assertPending(reply: Reply, block: StateBlock): void {
  assert.equal(reply.status, 503, reply.text)
  const error = 'The payment is not confirmed yet. Do not pay again: send the same request again.'
  const retryAfter = Number(reply.headers['retry-after'])
  assert.ok(retryAfter > 0)
  const transaction = hashBlock(block)
  const body = { error, message: error, code: 'settlement_pending', transaction, retry_after: retryAfter }
  assert.deepEqual(reply.json(), body)
  assert.equal(reply.headers['payment-required'], undefined)
  const { payer, ...response } = responseOf(reply)
  const { network } = TERMS
  assert.deepEqual(response, { success: false, errorReason: 'settlement_pending', transaction, network })
  assert.equal(payer, toBlockJson(block).account)
}

/** The payment's state in the store. */
export const stateOf = async ({ app }: Pick<Gateway, 'app'>, block: StateBlock) =>
  (await findPayment(app.store.db, hashBlock(block)))?.state
