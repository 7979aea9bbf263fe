import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../config/config.ts'
import { ACCOUNT_ACTIONS } from '../accounts/open.ts'
import { WORK_ACTIONS } from '../work/open.ts'
import { readGoods } from './index.ts'
import { SHOP } from '../../../test/support/x402-steps.ts'

test('a price that nobody can pay, or a thing that cannot be sold, is reported at the start', () => {
  const actions = [...ACCOUNT_ACTIONS, ...WORK_ACTIONS]
  const read = (env: Record<string, string>, rates?: Parameters<typeof readGoods>[2]) =>
    readGoods(loadConfig({ X402_PAY_TO: SHOP.address, ...env }), actions, rates)
  assert.throws(() => read({ X402_ACTIONS: 'make_coffee' }), /X402_ACTIONS names make_coffee, which is not an action/)
  assert.throws(() => read({ X402_ACTIONS: 'rpc_credits' }), /rpc_credits, which needs an API key/)
  assert.throws(() => read({ X402_PRICE: '1 USD' }), /in USD, and there is no source of prices/)
  assert.throws(() => loadConfig({ X402_PRICE: '0.001' }), /X402_PRICE must be an amount with its unit/)
  assert.throws(() => loadConfig({ X402_PRICE: '0 nano' }), /X402_PRICE/)
  assert.throws(() => loadConfig({ X402_PAY_TO: 'nano_1' }), /X402_PAY_TO must be a Nano address/)
  assert.throws(() => loadConfig({ X402_NETWORK: 'mainnet' }), /X402_NETWORK must look like nano:mainnet/)
  const rates = { currencies: ['USD'], rate: async () => ({ rate: '2', source: 'test', at: 0 }) }
  assert.deepEqual(read({ X402_PRICE: '1 USD' }, rates).get('work_generate')?.price, { currency: 'USD', value: '1' })
})
