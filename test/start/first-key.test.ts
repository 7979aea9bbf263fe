import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { forgetAdministratorKey, keepAdministratorKey, reportAdministratorKey } from '../../src/store/data-folder.ts'
import { createFirstAdministrator, listAccounts } from '../../src/modules/accounts/index.ts'
import { ENGINES, openFresh } from '../support/engines.ts'
import { ask } from '../support/gateway.ts'
import { logOf, run, start } from './process.ts'
import { openFolder } from '../support/folder.ts'

/* The first start's administrator key is made only when it can be shown. */

test('a first start on a taken port makes no key, and the next one writes it to a file that only its owner can read', async (t) => {
  const DATA_DIR = openFolder(t)
  const squatter = createServer().listen(0, '127.0.0.1')
  t.after(() => squatter.close())
  await once(squatter, 'listening')
  const PORT = String((squatter.address() as AddressInfo).port)
  const taken = await run(t, ['start'], { DATA_DIR, PORT })
  assert.equal(taken.code, 1)
  assert.match(taken.errors, new RegExp(`Port ${PORT} is already in use`))
  const file = join(DATA_DIR, 'administrator.key')
  assert.equal(existsSync(file), false)

  const gateway = await start(t, { DATA_DIR })
  const key = readFileSync(file, 'utf8').trim()
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const account = await ask(`${gateway.url}/api/account`, { method: 'GET', headers: { key } })
  assert.equal(account.json<{ account: { role: string } }>().account.role, 'admin', account.text)
  const ended = await gateway.stop()
  const { output, errors } = ended
  assert.ok(!output.includes(key) && !errors.includes(key), 'what is piped somewhere does not have the key')
  assert.ok(output.includes(`  Admin key  in ${file} `), output)
  assert.equal(logOf(ended).find(({ event }) => event === 'administrator_key_made')?.file, file)
})

test('a terminal shows the key itself, and a key that was never taken is reported again', (t) => {
  const config = { dataDir: openFolder(t) }
  const tell = (createdKey: string | undefined, isTerminal: boolean) =>
    reportAdministratorKey(config, { createdKey, isTerminal }).join('')
  assert.equal(tell(undefined, true), '')
  keepAdministratorKey(config, 'rpc_sk_one')
  assert.match(tell('rpc_sk_one', true), /^ {2}Admin key {2}rpc_sk_one /)
  // The process died before it could show it.
  for (const isTerminal of [true, false]) assert.match(tell(undefined, isTerminal), /administrator\.key {3}\(take it/)
  keepAdministratorKey(config, 'rpc_sk_two')
  assert.equal(readFileSync(join(config.dataDir, 'administrator.key'), 'utf8'), 'rpc_sk_two\n')
  forgetAdministratorKey(config)
  assert.equal(tell(undefined, true), '')
})

for (const engine of ENGINES) {
  test(`a start that dies before the key is kept leaves the next one to make it (${engine})`, async (t) => {
    const { ctx, openAnother } = await openFresh(t, engine)
    const die = () => {
      throw new Error('The disk is full.')
    }
    await assert.rejects(createFirstAdministrator(ctx, die), /disk is full/)
    assert.deepEqual(await listAccounts(ctx.db, 10), [])
    // Of two gateways at once, the one that stores a key shows that key.
    const kept: string[] = []
    const both = [ctx, (await openAnother()).ctx].map((each) => createFirstAdministrator(each, (key) => kept.push(key)))
    const made = (await Promise.all(both)).filter((key) => key !== undefined)
    assert.equal(made.length, 1)
    assert.deepEqual(kept, made)
  })
}
