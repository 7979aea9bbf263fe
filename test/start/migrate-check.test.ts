import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { openFolder } from '../support/folder.ts'
import { openGateway } from '../support/gateway.ts'
import { serveWhole } from '../support/serve.ts'
import { run } from './process.ts'

/* `nano-gateway migrate-check`: compares a service with this gateway before a program moves. */

test('migrate-check prints what differs from another service, sends no writes, and shows no key', async (t) => {
  const { url, app } = await openGateway(t)
  const folder = openFolder(t)
  const account = new Signer(5).address
  const theirs = 'their-secret-key'
  const asked: string[] = []
  const service = await serveWhole(t, (body, request, response) => {
    asked.push(`${(JSON.parse(body) as { action: string }).action} ${request.headers.authorization}`)
    const answers: Record<string, object> = {
      nano_to_raw: { raw: `15${'0'.repeat(29)}`, amount: `15${'0'.repeat(29)}` },
      account_balance: { balance: '0', pending: 0, api_key: 'a', old_member: `\u001b[2Jrpc_sk_${'x'.repeat(38)}` },
    }
    const { action } = JSON.parse(body) as { action: string }
    response.end(JSON.stringify(answers[action] ?? { error: 'Unknown' }))
  })
  const requests = [
    { action: 'nano_to_raw', amount: '1.5', key: theirs },
    { action: 'account_balance', account },
    { action: 'checkout', address: account, amount: '1' },
    { action: 'made_up' },
  ]
  const [file, keyFile] = [join(folder, 'requests.jsonl'), join(folder, 'their.key')]
  writeFileSync(file, requests.map((request) => JSON.stringify(request)).join('\n'))
  writeFileSync(keyFile, `${theirs}\n`)
  const check = (...words: string[]) =>
    run(t, ['migrate-check', service, '--url', url, '--requests', file, ...words], {
      NANO_GATEWAY_KEY: app.createdKey!,
    })
  const { code, output, errors } = await check('--their-key-file', keyFile)
  assert.deepEqual(
    [code, errors, output.split('\n')],
    [
      1,
      '',
      [
        '2 account_balance pending: there 0, here "0"',
        '2 account_balance api_key: there [redacted], here missing',
        '2 account_balance old_member: there "\\u001b[2Jrpc_sk_[redacted]", here missing',
        '2 requests, 1 with differences.',
        'Not sent, because they may change something: checkout, made_up. --writes sends them to both.',
        '',
      ],
    ],
  )
  assert.deepEqual(asked, [`nano_to_raw Bearer ${theirs}`, `account_balance Bearer ${theirs}`])
  const written = JSON.parse((await check('--writes', '--json')).output) as { asked: number; skipped: string[] }
  assert.deepEqual([written.asked, written.skipped], [4, []])
  writeFileSync(file, '{"action": "version"}\nnonsense')
  const wrong = await check()
  assert.deepEqual([wrong.code, wrong.errors], [2, `nano-gateway migrate-check: Line 2 of ${file} is not JSON.\n`])
})
