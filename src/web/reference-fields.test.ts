import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer } from '../kernel/answers.ts'
import { membersOf } from './reference-fields.ts'

test('an answer is described member by member, with those that may be missing', () => {
  const history = answer.list(answer.record({ amount: answer.raw, username: answer.optional(answer.text) }))
  const members = membersOf(answer.record({ account: answer.address, history: answer.orNothing(history) }))
  assert.deepEqual(
    members.map(({ path, type, optional }) => [path, type, optional]),
    [
      ['account', 'address', false],
      ['history', 'list, or “”', false],
      ['history[].amount', 'amount in raw', false],
      ['history[].username', 'text', true],
    ],
  )
})

test('lists, maps and answers of several forms are reported by what they hold', () => {
  const balance = answer.record({ balance: answer.raw })
  const told = (shape: Parameters<typeof membersOf>[0]) => membersOf(shape).map(({ path, type }) => `${path}: ${type}`)
  assert.deepEqual(told(answer.list(balance)), ['[].balance: amount in raw'])
  const map = answer.record({ balances: answer.map(balance) })
  assert.deepEqual(told(map), ['balances: map', 'balances.….balance: amount in raw'])
  const forms = answer.oneOf(balance, answer.record({ balance: answer.raw, deleted: answer.bool }))
  const paths = membersOf(forms).map(({ path }) => path)
  assert.deepEqual(paths, ['balance', 'deleted'])
})
