import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { type Raw, formatNano } from '../../../kernel/money.ts'
import type { NodePort } from '../../../kernel/ports.ts'
import { readOrEmpty } from '../../../kernel/read-or-empty.ts'
import { type JsonObject, toList, toObject, textOf } from '../../../kernel/shape.ts'
import { withUsername } from '../blocks.ts'
import type { LedgerContext } from '../context.ts'

const PAGE = 200

export const findBlock = action({
  name: 'find_block',
  summary: 'Finds the newest payment of an exact amount to an address, received or not.',
  input: input({ address: field.account, amount: field.nanoAmount }),
  fieldSynonyms: { account: 'address' },
  example: {
    request: { address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8', amount: '1000' },
    response: {
      block: {
        type: 'receive',
        account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
        amount: '1000',
        local_timestamp: '1794710043',
        height: '2',
        hash: '206EEA1015B9CD8D3C2E4DE0CE8A8CD3724808251544C2E78886C7B49C54CE6C',
        confirmed: 'true',
        amount_nano: '1000',
        amount_raw: '1000000000000000000000000000000000',
        username: '',
      },
    },
  },
  output: answer.record({
    block: answer.record({
      type: answer.text,
      account: answer.address,
      amount: answer.nano,
      amount_nano: answer.nano,
      amount_raw: answer.raw,
      local_timestamp: answer.whole,
      height: answer.whole,
      hash: answer.hash,
      confirmed: answer.flag,
      username: answer.text,
    }),
  }),
  refusals: ['Payment not found.'],
  auth: 'none',
  scope: 'read',
  readOnly: true,
  async run({ node }, { address, amount }, { names, countMax }: LedgerContext) {
    const look = { node, address, amount, depthMax: countMax }
    const found = (await findWaiting(look)) ?? (await findInHistory(look))
    if (!found) {
      return { block: false, error: 'Payment not found.', address, amount: formatNano(amount), amount_raw: `${amount}` }
    }
    const amounts = { amount: formatNano(amount), amount_nano: formatNano(amount), amount_raw: `${amount}` }
    // Always present, unlike in lists, because a client that looks for one payment shows its payer (contract 2, Found block).
    return { block: withUsername(names, { ...found, ...amounts, username: '' }, 'account') }
  },
})

interface Look {
  node: NodePort
  address: string
  amount: Raw
  /** How many blocks back to search. */
  depthMax: number
}

async function findWaiting({ node, address: account, amount, depthMax }: Look): Promise<JsonObject | undefined> {
  const answer = await node.read('receivable', {
    account,
    count: String(depthMax),
    threshold: `${amount}`,
    source: true,
  })
  const hash = Object.entries(toObject(answer.blocks)).find(([, entry]) => toObject(entry).amount === `${amount}`)?.[0]
  if (hash === undefined) return undefined
  const block = await node.read('block_info', { hash, json_block: true })
  return {
    type: 'receivable',
    account: textOf(block.block_account),
    local_timestamp: textOf(block.local_timestamp),
    height: textOf(block.height),
    hash,
    confirmed: textOf(block.confirmed),
  }
}

/** Searches back page by page, up to the configured bound. */
async function findInHistory({ node, address: account, amount, depthMax }: Look): Promise<JsonObject | undefined> {
  let head: string | undefined
  for (let seen = 0; seen < depthMax; seen += PAGE) {
    const from = head === undefined ? { account } : { head }
    const page = await readOrEmpty(node, 'account_history', { ...from, count: String(PAGE) })
    for (const entry of toList(page.history).map(toObject)) {
      if (entry.type === 'receive' && entry.amount === `${amount}`) return entry
    }
    if (typeof page.previous !== 'string') return undefined
    head = page.previous
  }
  return undefined
}
