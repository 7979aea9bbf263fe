import { parseNano } from '../../../kernel/money.ts'
import { fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import { badField } from '../errors.ts'
import { WAYS_TO_PAY } from './pay-checkout.ts'

type Fields = Readonly<Record<string, unknown>>

export function readWay({ way = 'exactly' }: Fields) {
  const known = WAYS_TO_PAY.find((name) => name === way)
  if (known === undefined) throw badField('way', `way must be one of ${WAYS_TO_PAY.join(', ')}.`)
  return known
}

export function readFunding({ address, amount }: Fields) {
  const key = typeof address === 'string' ? fromAddress(address.trim()) : undefined
  if (key === undefined) throw badField('address', 'Bad account number', 'invalid_account')
  const amountRaw = typeof amount === 'string' || typeof amount === 'number' ? parseNano(String(amount)) : undefined
  if (amountRaw === undefined || amountRaw === 0n) throw badField('amount', 'Invalid amount number', 'invalid_amount')
  return { address: toAddress(key), amountRaw }
}

export function readBlockHash({ hash }: Fields): string | undefined {
  if (hash === undefined || hash === '') return undefined
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/i.test(hash)) {
    throw badField('hash', 'Invalid block hash', 'invalid_hash')
  }
  return hash.toUpperCase()
}
