// Run it: npm install --save-dev @nano-gateway/devnet && node --test node-test.test.ts
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nano } from '@nano-gateway/devnet'
import { useLedger } from '@nano-gateway/devnet/node-test'

const ledger = useLedger({ accounts: 2 })

test('a payment arrives, and the next test starts without it', async () => {
  const [alice, bob] = ledger.accounts
  await alice.send(bob, '1.5')
  await bob.receive()
  assert.equal(nano((await bob.balance()).balance), '1001.5')
})

test('a payment that is not confirmed yet does not count', async () => {
  const [alice, bob] = ledger.accounts
  await ledger.hold()
  const hash = await alice.send(bob, '1.5')
  assert.deepEqual(await bob.receive(), [])
  await ledger.confirm(hash)
  assert.equal((await bob.receive()).length, 1)
})

test('a sender finds out whether a payment was made although its answer was lost', async () => {
  const [alice, bob] = ledger.accounts
  await ledger.fault('process', { kind: 'drop', count: 1 })
  await assert.rejects(alice.send(bob, '1.5'), /was not answered/)
  assert.equal(nano((await bob.balance()).receivable), '1.5')
})
