import { BURN_ADDRESS, toAddress } from '../../kernel/nano/address.ts'
import type { Members } from '../answer.ts'
import { getAccount } from './get-account.ts'
import type { Handler } from './handler.ts'

export const accountInfo: Handler = (node, request) => {
  const { ledger } = node
  const account = request.account()
  const record = getAccount(node, account)
  const includeConfirmed = request.flag('include_confirmed')
  const confirmed = includeConfirmed ? ledger.store.findBlock(record.confirmedFrontier) : undefined

  const answer: Members = {
    frontier: record.head,
    open_block: record.openBlock,
    representative_block: record.head,
    balance: record.balance.toString(),
  }
  if (includeConfirmed) answer.confirmed_balance = (confirmed?.balance ?? 0n).toString()
  answer.modified_timestamp = record.modifiedAt.toString()
  answer.block_count = record.blockCount.toString()
  answer.account_version = record.epoch.toString()
  answer[includeConfirmed ? 'confirmed_height' : 'confirmation_height'] = record.confirmedHeight.toString()
  answer[includeConfirmed ? 'confirmed_frontier' : 'confirmation_height_frontier'] = record.confirmedFrontier

  if (request.flag('representative')) {
    answer.representative = toAddress(record.representative)
    if (includeConfirmed) {
      const block = confirmed?.block.type === 'state' ? confirmed.block : confirmed && ledger.genesis.block
      answer.confirmed_representative = block ? toAddress(block.representative) : BURN_ADDRESS
    }
  }
  if (request.flag('weight')) answer.weight = ledger.store.weightOf(account).toString()
  if (request.flag('receivable', request.flag('pending'))) {
    const receivable = ledger.receivableSum(account, false).toString()
    Object.assign(answer, { pending: receivable, receivable })
    if (includeConfirmed) {
      const confirmed = ledger.receivableSum(account, true).toString()
      Object.assign(answer, { confirmed_pending: confirmed, confirmed_receivable: confirmed })
    }
  }
  return answer
}
