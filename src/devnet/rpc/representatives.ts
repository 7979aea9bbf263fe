import { type PublicKey, ZERO_KEY, fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { Entries } from '../../kernel/nano/node-answer.ts'
import { badAccount } from '../../kernel/nano/node-request.ts'
import type { Handler } from './handler.ts'

export const delegators: Handler = (node, request) => {
  const representative = request.account()
  const count = request.countOr(1024n)
  const threshold = request.threshold()
  const startText = request.find('start')
  const start = startText === undefined ? ZERO_KEY : request.toAccount(startText)
  const found = new Entries()
  let left = count
  for (const { account, balance } of node.ledger.store.delegatorsOf(representative, start)) {
    if (left === 0n) break
    if (balance < threshold) continue
    found.put(toAddress(account), balance.toString())
    left--
  }
  return { delegators: found }
}

export const delegatorsCount: Handler = (node, request) => ({
  count: node.ledger.store.countDelegators(request.account()).toString(),
})

export const representatives: Handler = (node, request) => {
  const count = request.countOr()
  const sorted = request.flag('sorting')
  let weights = node.ledger.store.listWeights()
  if (sorted) {
    weights.sort((a, b) => {
      if (a.weight !== b.weight) return a.weight > b.weight ? -1 : 1
      return a.representative > b.representative ? -1 : 1
    })
  }
  // Without sorting, the node checks the count one entry too late.
  weights = weights.filter((_weight, at) => (sorted ? BigInt(at) < count : BigInt(at) <= count))
  const found = new Entries()
  for (const { representative, weight } of weights) found.put(toAddress(representative), weight.toString())
  return { representatives: found }
}

/** The representatives whose votes this ledger casts. */
export const representativesOnline: Handler = (node, request) => {
  const asked = request.findList('accounts')?.map(toKey)
  const voters = node.listOnline().map(({ key }) => key)
  const online = voters.filter((key) => asked?.includes(key) ?? true)
  if (!request.flag('weight')) return { representatives: online.map(toAddress) }
  const found = new Entries()
  for (const key of online) found.put(toAddress(key), { weight: node.ledger.store.weightOf(key).toString() })
  return { representatives: found }
}

function toKey(text: string): PublicKey {
  const key = fromAddress(text)
  if (key === undefined) throw badAccount()
  return key
}
