import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Raw } from '../../../kernel/money.ts'
import { cooldownsOf } from './eligibility.ts'

const rules = { amount: 3n as Raw, dailyBudget: 10n as Raw, perNetworkMax: 5 }
const visitor = { accountId: 'acc_1', address: 'nano_1', ip: '192.0.2.77' }

test('a claim counts for its account, its address, its network and the budget, in this order', () => {
  const counted = cooldownsOf(rules, visitor).map(({ caller, max }) => `${caller} ${max}`)
  assert.deepEqual(counted, ['acc:acc_1 1', 'nano_1 1', 'net:192.0.2.0/24 5', 'faucet 3'])
})

test('neighbours share a network: /24 of version 4, /48 of version 6; without a limit none is counted', () => {
  const networkOf = (ip: string) =>
    cooldownsOf(rules, { ...visitor, ip }).find(({ caller }) => caller.startsWith('net:'))?.caller
  assert.equal(networkOf('192.0.2.1'), networkOf('192.0.2.254'))
  assert.notEqual(networkOf('192.0.2.1'), networkOf('192.0.3.1'))
  assert.equal(networkOf('2001:db8:1:2::/64'), 'net:2001:db8:1::/48')
  const unlimited = cooldownsOf({ ...rules, perNetworkMax: 0 }, { ...visitor, accountId: undefined })
  const callers = unlimited.map(({ caller }) => caller)
  assert.deepEqual(callers, ['nano_1', 'faucet'])
})
