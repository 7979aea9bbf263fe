import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toLines } from '../../src/cli/log-lines.ts'
import { Signer } from '../support/blocks.ts'
import { openFolder } from '../support/folder.ts'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { start } from './process.ts'

/* The terminal output of a gateway. */

test('a terminal shows a line for each request and each result of a checkout', async (t) => {
  const gateway = await start(t, { DATA_DIR: openFolder(t), LOG_FORMAT: 'pretty', CHECKOUT_ANONYMOUS: 'true' })
  const post = (path: string, body: object = {}) => ask(gateway.url + path, { body: JSON.stringify(body) })
  await post('/', { action: 'block_count' })
  await post('/', { action: 'nothing_such' })
  const made = await post('/', { action: 'checkout', address: new Signer(1).address, amount: '1' })
  const { id } = made.json()
  assert.ok(id, made.text)
  await post(`/developer/checkouts/${id}/pay`)
  await until(async () => (await ask(`${gateway.url}/check/${id}`, { method: 'GET' })).json().status === 'complete')
  await ask(`${gateway.url}/nowhere/\u001b[2J`.replace('\u001b', '%1b'), { method: 'GET' })
  const { output } = await gateway.stop()
  const lines = output
    .slice(output.indexOf('Try it:'))
    .replaceAll(/^\d\d:\d\d:\d\d {2}/gm, '')
    .split('\n')
  const has = (pattern: RegExp) =>
    assert.ok(
      lines.some((line) => pattern.test(line)),
      `${pattern} in\n${output}`,
    )
  has(/^block_count +200 {2}[\d.]+ ms {2}miss$/)
  has(/^unknown +400 {2}[\d.]+ ms {2}invalid_action$/)
  has(/^POST \/developer\/checkouts\/:id\/pay +200 /)
  has(new RegExp(`^payment.completed +checkoutId=${id}$`))
  has(/^GET \(no such path\) +404 /)
  assert.doesNotMatch(output, /\u001b|"level"/)
})

test('texts of a node or a mail server cannot control the terminal, and an error is reported with its place', () => {
  const line = {
    level: 50,
    time: 0,
    event: 'background_failure',
    place: 'x',
    reason: '\u001b[2Jgone\nfake',
    error: 'E\n    at a',
  }
  const told = toLines(`${JSON.stringify(line)}\n`, { colours: false })
  assert.match(told, /background_failure +place=x {2}reason=\\u\{1b\}\[2Jgone\\u\{a\}fake\n {10}E\n {10} {4}at a\n$/)
})
