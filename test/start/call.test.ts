import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { show, showAnswer } from '../../src/cli/show-answer.ts'
import { Signer, give, nano } from '../support/blocks.ts'
import { openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { until } from '../support/until.ts'
import { run, spawnCli } from './process.ts'

/* `nano-gateway call`: any action of any gateway, from a terminal. */

test('a call prints its answer, and its exit code gives a script the result', async (t) => {
  const { url, app, folder } = await openGateway(t)
  const call = (...words: string[]) => run(t, ['call', ...words, '--url', url], {})
  const [table, json, refused, unknown, usage, unreadable, nowhere] = await Promise.all([
    call('nano_to_raw', 'amount=1.5'),
    call('nano_to_raw', 'amount=1.5', '--json'),
    call('account_info', `account=${new Signer(7).address}`),
    call('acount_info', 'account=x'),
    call('nano_to_raw', 'amount'),
    call('nano_to_raw', 'amount=1', '--nonsense'),
    run(t, ['call', 'version'], { NANO_GATEWAY_URL: 'http://127.0.0.1:9' }),
  ])
  assert.deepEqual([table.code, table.output], [0, `raw     15${'0'.repeat(29)}\namount  15${'0'.repeat(29)}\n`])
  assert.equal((JSON.parse(json.output) as { raw: string }).raw, `15${'0'.repeat(29)}`)
  assert.deepEqual([refused.code, refused.output, refused.errors], [1, '', 'Account not found\n'])
  assert.deepEqual(
    [unknown.code, unknown.errors],
    [1, 'Bad action provided (invalid_action). Did you mean account_info?\n'],
  )
  assert.deepEqual(
    [usage.code, usage.errors],
    [2, 'nano-gateway call: “amount” is not a field. Write it as name=value.\n'],
  )
  assert.deepEqual([unreadable.code, nowhere.code], [2, 1])
  for (const { errors } of [refused, unknown, usage, unreadable, nowhere]) {
    assert.match(errors, /^[^\n]+\n$/, 'one error, one line')
  }
  assert.equal((await call('account_balance')).errors, 'The field account is required (invalid_request)\n')
  const file = join(folder, 'some.key')
  writeFileSync(file, `${app.createdKey}\n`)
  const keyed = await Promise.all([
    call('rpc_credits', '--key-file', file),
    run(t, ['call', 'rpc_credits', '--url', url], { NANO_GATEWAY_KEY: app.createdKey! }),
    call('rpc_credits'),
    call('rpc_credits', '--key-file', join(folder, 'none')),
    call('rpc_credits', `key=${app.createdKey}`),
  ])
  assert.deepEqual(
    keyed.map(({ code }) => code),
    [0, 0, 1, 2, 2],
  )
  assert.ok(keyed.every(({ output, errors }) => !`${output}${errors}`.includes(app.createdKey!)))
})

test('fields are sent as they are meant: lists, objects, texts that look like numbers', async (t) => {
  const node = await openRecordingNode(t)
  const words = ['accounts=a', 'accounts=b', 'block={"type":"state"}', 'count=007', 'note=a=b', 'tag=true']
  await run(t, ['call', 'anything', ...words, '--url', node.url], {})
  assert.deepEqual(node.requests, [
    { accounts: ['a', 'b'], block: { type: 'state' }, count: '007', note: 'a=b', tag: 'true', action: 'anything' },
  ])
})

test('control characters in an answer do not affect the terminal, and an image does not fill it', () => {
  assert.equal(show('a\u001b[2Jb\u202Ec\u0007\n'), 'a\\u{1b}[2Jb\\u{202e}c\\u{7}\\u{a}')
  const table = showAnswer({ history: [{ username: '\u001b]0;x', amount: '1' }, { amount: '20' }], empty: [], n: null })
  assert.equal(table, 'history\n  username    amount\n  \\u{1b}]0;x  1\n              20\nempty\n  (none)\nn  null')
  const picture = showAnswer({ id: '1', qrcode: 'data:image/png;base64,iVBO' })
  assert.equal(picture, 'id      1\nqrcode  (a picture; --json has it)')
})

test('--watch prints what is confirmed of the account, once it listens', async (t) => {
  const { url, app } = await openGateway(t)
  const to = new Signer(41)
  const { said } = spawnCli(t, ['call', 'account_balance', `account=${to.address}`, '--url', url, '--watch'], {})
  await until(() => said.errors.includes('Watching nano_'))
  await give(app.devnet!.node, to.key, nano(3))
  await until(() => said.output.includes('send 3 nano'))
  assert.ok(said.output.includes(`to ${to.address}`), said.output)
})

test('a shell completes commands, actions and the fields of an action', async (t) => {
  const { output: script } = await run(t, ['completion', 'bash'], {})
  const complete = (...words: string[]) =>
    new Promise<string[]>((resolve, reject) => {
      const ask = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; compopt() { :; }; _nano_gateway; printf '%s\\n' "\${COMPREPLY[@]}"`
      execFile('bash', ['-c', ask], (error, stdout) => (error ? reject(error) : resolve(stdout.trim().split('\n'))))
    })
  assert.deepEqual(await complete('nano-gateway', 'cal'), ['call'])
  assert.deepEqual(await complete('nano-gateway', 'call', 'account_h'), ['account_history'])
  assert.deepEqual(await complete('nano-gateway', 'call', 'account_history', 'cou'), ['count='])
  assert.deepEqual(await complete('nano-gateway', 'keys', 'rev'), ['revoke'])
  for (const shell of ['zsh', 'fish']) {
    const { code, output } = await run(t, ['completion', shell], {})
    assert.ok(code === 0 && output.includes('account_history') && output.includes('representative='), shell)
  }
  assert.notEqual((await run(t, ['completion', 'cmd'], {})).code, 0)
})
