import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes, chooseOperation, refuseOthers } from './operation.ts'

const account = 'nano_1'

test('a request that names an operation is that operation, in either style and any letters', () => {
  const meant = [
    [{}, 'create'],
    [{ expire: '2 hours' }, 'create'],
    [{ account }, 'info'],
    [{ account, expire: 'False' }, 'info'],
    [{ account, expire: '0', balance: true }, 'balance'],
    [{ list: 'TRUE' }, 'list'],
    [{ account, receive: 'all' }, 'receive'],
    [{ account, balance: 1 }, 'balance'],
    [{ account, send: 'nano_2' }, 'send'],
    [{ account, expire: true }, 'delete'],
    [{ account, delete: true, list: false, balance: 0 }, 'delete'],
    [{ account, wallet_action: ' Delete_Wallet ' }, 'delete'],
  ] as const
  for (const [fields, operation] of meant) {
    assert.equal(chooseOperation(fields), operation, JSON.stringify(fields))
    refuseOthers(fields)
  }
})

test('unreadable requests, and two operations at once, are refused and never become another operation', () => {
  const wrong = [
    [{ list: 'yes' }, 'list'],
    [{ delete: 'now', account }, 'delete'],
    [{ wallet_action: 'toString' }, 'wallet_action'],
    [{ wallet_action: 7 }, 'wallet_action'],
    [{ account, send: 'nano_2', delete: true }, 'send'],
    [{ account, expire: true, list: true }, 'expire'],
    [{ account, expire: '2 hours' }, 'expire'],
    [{ account, expire: 1 }, 'expire'],
  ] as const
  for (const [fields, field] of wrong) {
    assert.throws(() => chooseOperation(fields), { code: 'invalid_request', body: { field } }, JSON.stringify(fields))
  }
})

test('only what changes nothing may be repeated freely', () => {
  const free = (['create', 'list', 'info', 'balance', 'receive', 'send', 'delete', 'update_metadata'] as const).filter(
    (operation) => !changes(operation),
  )
  assert.deepEqual(free, ['list', 'info', 'balance'])
})
