import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { hashBlock } from '../../src/kernel/nano/block.ts'
import { TERMS, openFaultyShop, openPayer, payloadOf, paymentBlock, paymentsOnLedger } from '../support/x402-steps.ts'
import { runClient } from './run-client.ts'

type Payload = Parameters<HTTPFacilitatorClient['verify']>[0]

const terms = { ...TERMS, network: 'nano:mainnet', extra: {} } as const

/* Any service may use the facilitator, with the official package. */
test(
  '@x402/core: the stock facilitator client verifies and settles here (contract 4.7, Other endpoints of 4.7: GET /facilitator/supported, POST /facilitator/verify, POST /facilitator/settle)',
  runClient('@x402/core', async ({ t, steps, access }) => {
    // The gateway sells nothing; only the facilitator runs.
    const { url, node, upstream } = await openFaultyShop(t, { env: { X402_PAY_TO: '' } })
    const payer = await openPayer(node)
    const client = new HTTPFacilitatorClient({ url: `${url}${access}` })
    const block = paymentBlock(node, payer)
    const payload = payloadOf(block) as unknown as Payload
    await steps.step('supported', async () => {
      const kinds = [{ x402Version: 2, scheme: 'exact', network: 'nano:mainnet' }]
      assert.deepEqual(await client.getSupported(), { kinds, extensions: ['bazaar'], signers: {} })
    })
    await steps.step('verify', async () => {
      assert.deepEqual(await client.verify(payload, terms), { isValid: true, payer: payer.address })
      assert.equal(upstream.hits('process'), 0, 'verifying sends nothing')
    })
    await steps.step('settle', async () => {
      const receipt = { transaction: hashBlock(block), network: 'nano:mainnet', payer: payer.address }
      assert.deepEqual(await client.settle(payload, terms), { success: true, ...receipt })
      assert.equal(paymentsOnLedger(node), 1)
      const again = await client.settle(payload, terms)
      assert.deepEqual(again, { success: false, errorReason: 'duplicate_settlement', ...receipt })
      assert.equal((await client.verify(payload, terms)).invalidReason, 'duplicate_settlement')
    })
  }),
)
