import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/infra/clock.ts'
import { toMasterKeys } from '../../src/infra/secrets/master-keys.ts'
import { EnvelopeVault } from '../../src/infra/secrets/vault.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { type StateBlock, hashBlock, toBlockJson } from '../../src/kernel/nano/block.ts'
import { toSigningKey } from '../../src/kernel/nano/keys.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { rewrapKeys } from '../../src/modules/wallets/index.ts'
import { getEncryptedKey } from '../../src/modules/wallets/keys-store.ts'
import { frontierOf, nano } from '../support/blocks.ts'
import { testRandom } from '../support/random.ts'
import { ALICE, type Client, SHOP, clientWith, openClient } from '../support/wallet-client.ts'
import { openGateway } from '../support/gateway.ts'

/* Contract 4.2, rules 5, 11 and 17: how the keys of wallets are stored, and what happens when a key is stolen. */

const master = { id: 'key-1', key: testRandom.bytes(32) }
const other = { id: 'key-2', key: testRandom.bytes(32) }
const settingOf = (...keys: { id: string; key: Uint8Array }[]) =>
  keys.map(({ id, key }) => `${id}:${Buffer.from(key).toString('base64')}`).join()

/** The key of a wallet, decrypted as somebody could who has the store and the master keys. */
async function stealKey({ gateway }: Client, address: string): Promise<Uint8Array> {
  const { db } = gateway.app.store
  const { id } = await db.selectFrom('wallets').select('id').where('address', '=', address).executeTakeFirstOrThrow()
  const vault = new EnvelopeVault({ load: () => toMasterKeys([master, other]), random: testRandom })
  return vault.open({ walletId: id, address }, await getEncryptedKey(db, id))
}

test('each wallet has a random key of its own behind a data key of its own, and a new wrapping lets the old master key go (contract 4.2, rules 5 and 11)', async (t) => {
  const first = await openGateway(t, { WALLET_KEYS: settingOf(other, master) })
  const client = clientWith(first, first.app.createdKey!)
  const wallets = [await client.create(), await client.create(), await client.create({ vanity: '3e' })]
  const keys = await Promise.all(wallets.map((address) => stealKey(client, address)))
  // The search below covers the key's scalar and its nonce prefix.
  assert.equal(keys.map((key) => key.length).join(), '32,32,64')
  for (const [at, key] of keys.entries()) assert.equal(toSigningKey(key).publicKey, fromAddress(wallets[at]!))
  const { db } = first.app.store
  const rows = await db.selectFrom('wallet_keys').selectAll().execute()
  assert.equal(rows.length, 4, 'and the treasury')
  assert.equal(new Set(rows.flatMap((row) => [row.wrapped_data_key, row.sealed_key])).size, 8)
  for (const row of rows) {
    assert.equal(row.master_key_id, 'key-1')
    // 12 bytes nonce, 32 bytes key and 16 bytes tag, as in AES-256-GCM.
    assert.equal(Buffer.from(row.wrapped_data_key, 'base64').length, 60)
    for (const key of keys) assert.ok(!Buffer.from(row.sealed_key, 'base64').includes(Buffer.from(key)))
  }
  // While wallets send, every data key is encrypted with a new master key; the data that it encrypts stays.
  const vault = new EnvelopeVault({ load: () => toMasterKeys([master, other]), random: testRandom })
  const sends = wallets.map(async (account) => {
    await client.deposit(account, '2')
    return client.call({ account, send: SHOP, amount: '1' })
  })
  assert.equal(await rewrapKeys({ db, clock: systemClock, vault }), 4)
  for (const reply of await Promise.all(sends)) assert.equal(reply.status, 200, reply.text)
  const anew = await db.selectFrom('wallet_keys').selectAll().execute()
  assert.deepEqual(anew.map((row) => row.sealed_key).sort(), rows.map((row) => row.sealed_key).sort())
  assert.ok(anew.every((row) => row.master_key_id === 'key-2'))
  assert.equal(await rewrapKeys({ db, clock: systemClock, vault }), 0)
  await first.app.close()
  const database = `sqlite:${join(first.folder, 'gateway.db')}`
  const SECRET_KEY = readFileSync(join(first.folder, 'secret.key'), 'utf8')
  const env = { WALLET_KEYS: settingOf(other), DATABASE_URL: database, SECRET_KEY }
  const alone = clientWith(await openGateway(t, env), client.key)
  assert.equal((await alone.ask<unknown[]>({ list: true })).length, 3)
})

test('403 when somebody else has signed for a wallet: it is frozen, and nothing leaves it any more (contract 4.2, rule 17; 7, Texts and codes: wallet that is frozen)', async (t) => {
  const client = await openClient(t, { WALLET_KEYS: settingOf(master) })
  const account = await client.create({ refund_address: SHOP })
  await client.deposit(account, '5')
  await client.ask({ receive: true, account })
  const { node } = client.gateway.app.devnet!
  const key = toSigningKey(await stealKey(client, account))
  const { previous, balance, representative } = frontierOf(node, key.publicKey)
  const { work } = (await client.gateway.call('work_generate', { hash: previous })).json()
  const draft: StateBlock = {
    ...{ type: 'state', account: key.publicKey, previous, representative, signature: '', work: work! },
    ...{ balance: toRaw(balance - nano(1)), link: fromAddress(ALICE)! },
  }
  const block = toBlockJson({ ...draft, signature: key.sign(hashBlock(draft)) })
  const stolen = await client.gateway.call('process', { json_block: 'true', subtype: 'send', block })
  assert.equal(stolen.json().hash, hashBlock(draft), stolen.text)
  const frozen = [403, 'wallet_frozen', 'The wallet is frozen while the operator investigates.']
  for (const parameters of [{ send: SHOP, amount: '1' }, { delete: true }, { send: SHOP, amount: 'all' }]) {
    const { status, json } = await client.call({ account, ...parameters })
    assert.deepEqual([status, json().code, json().error], frozen)
  }
  assert.equal((await client.balanceOf(SHOP)).receivable, '0')
  assert.equal((await client.balanceOf(account)).balance, nano(4).toString())
})
