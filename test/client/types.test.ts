import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { blocksOf, root } from '../docs/documents.ts'
import { packClient } from '../support/packed-client.ts'

/* Compiles programs against the packed client: some must compile, and some must not. */

const ACCOUNT = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'

const RIGHT = `
import { type Answer, Budget, type Check, GatewayError, createGateway, nano, raw } from '@nano-gateway/client'

const gateway = createGateway({ url: 'https://rpc.example', key: undefined, fetch })
const account = '${ACCOUNT}'
const { balance, balance_nano } = await gateway.account_balance({ account })
const sum: bigint = balance + raw('1') + raw(0.5)
const text: string = balance_nano + nano(sum)
const same: Answer<'account_balance'> = await gateway.accountBalance({ account }, { timeoutMs: 1_000 })
const history = (await gateway.account_history({ account, count: 10 })).history
const amounts: (bigint | undefined)[] = history === '' ? [] : history.map(({ amount }) => amount)
const { count } = await gateway.block_count()
await gateway.blockCount({}, { signal: AbortSignal.timeout(1_000) })
await gateway.cloud_wallet({ account, amount: raw('1') })
await gateway.cloud_wallet({ account, amount: 'all' })
await gateway.receivable({ account, threshold: 1n, source: true })
const made = await gateway.checkout({ address: account, amount: '1.5' }, { idempotencyKey: 'order-1' })
const price: bigint | undefined = made.amount_raw
const { id } = await gateway.checkouts.create({ address: account, amount: raw('1') })
const check: Check = await gateway.checkouts.waitFor(id, { onStatus: ({ status }) => void status })
const status: 'pending' | 'detected' | 'partial' | 'complete' | 'expired' | 'cancelled' | 'refunded' = check.status
const wallet = gateway.wallet({ seed: '0'.repeat(64), index: 1 }, { budget: raw('1') })
const { hash } = await wallet.send(account, raw('0.1'))
const paying = createGateway({ url: gateway.url, pay: { key: '0'.repeat(64), budget: new Budget(raw('1')) } })
const response: Response = await paying.fetch(new URL('https://shop.example'), { method: 'POST' })
for await (const { amount, missed } of gateway.confirmations({ accounts: [account] })) if (missed && amount > 0n) break
try {
  await gateway.process({ block: { type: 'state' }, subtype: 'send' })
} catch (error) {
  if (error instanceof GatewayError) [error.code, error.status.toFixed(), error.field ?? '', (error.retryAfter ?? 0) + 1]
}
export { amounts, count, hash, price, response, same, status, text }
`

/** Each of these must be a type error; `@ts-expect-error` fails if it is not. */
const WRONG = `
import { Budget, createGateway, nano, raw, verifyWebhook } from '@nano-gateway/client'

const gateway = createGateway({ url: 'https://rpc.example' })
const account = '${ACCOUNT}'
const answer = await gateway.account_balance({ account })
// @ts-expect-error -- no answer has this member
answer.balanse
// @ts-expect-error -- an amount is a bigint
const balance: number = answer.balance
// @ts-expect-error -- raw and nano do not mix
answer.balance + answer.balance_nano.length
// @ts-expect-error -- the account is needed
await gateway.account_balance({})
// @ts-expect-error -- and so are the fields
await gateway.account_balance()
// @ts-expect-error -- and is a text
await gateway.account_balance({ account: 7 })
// @ts-expect-error -- no action has this name
await gateway.account_balanc({ account })
// @ts-expect-error -- nor this one
await gateway.AccountBalance({ account })
// @ts-expect-error -- a field that nobody reads
await gateway.account_balance({ account, acount: account })
// @ts-expect-error -- none of the words
await gateway.process({ block: {}, subtype: 'sent' })
// @ts-expect-error -- a price may be in other money, where raw means nothing
await gateway.checkout({ address: account, amount: 5n })
// @ts-expect-error -- raw is no number
await gateway.wallet('0'.repeat(64)).send(account, 1)
// @ts-expect-error -- a seed says that it is one
gateway.wallet({ index: 1 })
// @ts-expect-error -- who pays has a budget
createGateway({ url: '', pay: { key: '' } })
// @ts-expect-error -- in raw
new Budget('1')
// @ts-expect-error -- an amount in nano is no bigint
raw(5n)
// @ts-expect-error -- and one in raw no number
nano(5)
// @ts-expect-error -- a body as it arrived, before it was parsed
verifyWebhook({ id: 'evt_1' }, {}, 'secret')
// @ts-expect-error -- where the gateway is
createGateway({})
export { balance }
`

function compile(folder: string, ...args: string[]): Promise<string> {
  const strict = [
    '--noEmit',
    '--strict',
    '--noUncheckedIndexedAccess',
    '--exactOptionalPropertyTypes',
    '--pretty',
    'false',
  ]
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return new Promise((done) => {
    const options = [tsc, ...strict, '--target', 'es2022', '--module', 'nodenext', ...args]
    execFile(process.execPath, options, { cwd: folder }, (_error, output, errors) => done(`${output}${errors}`))
  })
}

test('right uses compile and wrong ones do not, with the types of a browser and with those of Node', async () => {
  const { folder } = packClient()
  writeFileSync(join(folder, 'right.ts'), RIGHT)
  writeFileSync(join(folder, 'wrong.ts'), WRONG)
  const files = ['right.ts', 'wrong.ts']
  assert.equal(await compile(folder, '--lib', 'es2022,dom,dom.iterable', '--types', '', ...files), '')
  assert.equal(await compile(folder, '--lib', 'es2022', '--types', 'node', '--skipLibCheck', ...files), '')
})

test('the programs of the guide compile, one after the other', async () => {
  const { folder } = packClient()
  const programs = blocksOf('docs/client.md').filter(({ fence }) => fence === 'ts')
  assert.ok(programs.length > 6)
  writeFileSync(join(folder, 'guide.ts'), programs.map(({ code }) => code).join('\n'))
  assert.equal(await compile(folder, '--lib', 'es2022,dom,dom.iterable', '--types', '', 'guide.ts'), '')
})
