import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { LedgerRefusal } from '../../../kernel/errors.ts'
import { field, input } from '../../../kernel/fields.ts'
import { fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import type { Representatives } from '../../../kernel/ports.ts'

export const REPRESENTATIVE = answer.record({
  rep_address: answer.address,
  account: answer.address,
  donation_address: answer.orNull(answer.text),
  weight: answer.number,
  weight_nano: answer.number,
  weight_raw: answer.raw,
  uptime: answer.text,
  synced: answer.number,
  website: answer.orNull(answer.text),
  location: answer.orNull(answer.text),
  alias: answer.text,
  username: answer.text,
  score: answer.integer,
  version: answer.text,
  protocol: answer.number,
  database: answer.text,
})

export const EXAMPLE = {
  rep_address: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
  account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
  donation_address: null,
  weight: 2.31,
  weight_nano: 3078121.5,
  weight_raw: '3078121500000000000000000000000000000',
  uptime: '99.93%',
  synced: 99.99,
  website: 'https://rep.example',
  location: 'Frankfurt',
  alias: 'Example',
  username: '',
  score: 100,
  version: '27.1.0',
  protocol: 21,
  database: '',
}

export const repInfo = action({
  name: 'rep_info',
  summary: 'One representative.',
  input: input({ account: field.account }),
  example: { request: { account: EXAMPLE.account }, response: EXAMPLE },
  output: REPRESENTATIVE,
  refusals: ['Representative not found.'],
  auth: 'none',
  scope: 'read',
  readOnly: true,
  async run(_ctx, { account }, reps: Representatives) {
    const address = toAddress(fromAddress(account)!)
    const found = (await reps.list()).find((rep) => rep.account === address)
    if (!found) throw new LedgerRefusal('Representative not found.')
    return found
  },
})
