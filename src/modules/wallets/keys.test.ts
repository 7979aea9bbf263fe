import assert from 'node:assert/strict'
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from '../../config/config.ts'
import { openKey, rewrapKey, encryptKey } from '../../infra/secrets/envelope.ts'
import {
  addToKeyFile,
  createKeyFile,
  readKeyFile,
  stampKeyFile,
  toMasterKeys,
} from '../../infra/secrets/master-keys.ts'
import { EnvelopeVault } from '../../infra/secrets/vault.ts'
import { parseNano } from '../../kernel/money.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import { Signer, give } from '../../../test/support/blocks.ts'
import { TestClock } from '../../../test/support/clock.ts'
import { askCommand } from '../../../test/support/command-line.ts'
import { openGateway, sharedKeys } from '../../../test/support/gateway.ts'
import { openFolder } from '../../../test/support/folder.ts'
import { newKey, testRandom } from '../../../test/support/random.ts'

const master = { id: 'key-1', key: testRandom.bytes(32) }
const other = { id: 'key-2', key: testRandom.bytes(32) }
const holder = { walletId: 'wal_1', address: new Signer(1).address }
const SHOP = new Signer(9).address

test('an encrypted key opens for its wallet and address, in either form, and shows nothing (contract 4.2, rule 11)', () => {
  for (const bytes of [32, 64]) {
    const key = testRandom.bytes(bytes)
    const encrypted = encryptKey(master, holder, key, testRandom)
    assert.deepEqual(Buffer.from(openKey(master, holder, encrypted)), Buffer.from(key))
    assert.ok(!Buffer.from(encrypted.encryptedKey, 'base64').includes(Buffer.from(key)))
    assert.equal(Buffer.from(encrypted.wrappedDataKey, 'base64').length, 60)
  }
})

// Somebody who can write to the store must not be able to make us sign with another wallet's key.
test('an encrypted key does not open for another wallet, another address, or with another master key', () => {
  const encrypted = encryptKey(master, holder, testRandom.bytes(32), testRandom)
  const stranger = { walletId: 'wal_2', address: new Signer(2).address }
  const another = encryptKey(master, stranger, testRandom.bytes(32), testRandom)
  assert.throws(() => openKey(master, { ...holder, walletId: stranger.walletId }, encrypted))
  assert.throws(() => openKey(master, { ...holder, address: stranger.address }, encrypted))
  assert.throws(() => openKey(other, holder, encrypted))
  assert.throws(() => openKey(master, holder, { ...encrypted, encryptedKey: another.encryptedKey }))
  assert.throws(() => openKey(master, holder, { ...encrypted, wrappedDataKey: another.wrappedDataKey }))
  assert.throws(() => openKey(master, holder, another))
})

test('not one bit of an encrypted key can change, and its tag cannot be cut', () => {
  const encrypted = encryptKey(master, holder, testRandom.bytes(32), testRandom)
  for (const part of ['wrappedDataKey', 'encryptedKey'] as const) {
    const bytes = Buffer.from(encrypted[part], 'base64')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1 << (at % 8)
      assert.throws(() => openKey(master, holder, { ...encrypted, [part]: changed.toString('base64') }))
    }
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length).toString('base64')
      assert.throws(() => openKey(master, holder, { ...encrypted, [part]: cut }))
    }
  }
})

test('a new wrapping opens with the new master key alone, and the encrypted key itself stays (contract 4.2, rule 11)', () => {
  const key = testRandom.bytes(32)
  const encrypted = encryptKey(master, holder, key, testRandom)
  const anew = rewrapKey({ from: master, to: other }, holder, encrypted, testRandom)
  assert.equal(anew.encryptedKey, encrypted.encryptedKey)
  assert.deepEqual(Buffer.from(openKey(other, holder, anew)), Buffer.from(key))
  assert.throws(() => openKey(master, holder, anew))
})

test('the key file is for its owner alone, and two processes that make it agree; a key of zeros is refused', (t) => {
  const file = join(openFolder(t), 'wallet-keys')
  const first = createKeyFile(file, testRandom)
  const second = createKeyFile(file, testRandom)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(second, first)
  assert.deepEqual(readKeyFile(file), first)
  assert.deepEqual(readdirSync(join(file, '..')), ['wallet-keys'], 'nothing else is left lying about')
  writeFileSync(file, `a:${Buffer.alloc(32).toString('base64')}\n`)
  assert.throws(() => readKeyFile(file), /is damaged/)
})

const vaultOn = (file: string) =>
  new EnvelopeVault({ load: () => readKeyFile(file)!, stamp: () => stampKeyFile(file), random: testRandom })

// Otherwise a wallet made after a rotation would be lost with the next restart, because its key was only in memory.
test('a wallet made after a rotation is encrypted with a key that is in the file', (t) => {
  const file = join(openFolder(t), 'wallet-keys')
  const { active: first } = createKeyFile(file, testRandom)
  const vault = vaultOn(file)
  assert.equal(vault.encrypt(holder, testRandom.bytes(32)).masterKeyId, first.id)
  const { active: second } = addToKeyFile(file, testRandom)
  assert.equal(vault.encrypt(holder, testRandom.bytes(32)).masterKeyId, second.id)
  // The operator removes the old key, as the documentation says.
  const [, line] = readFileSync(file, 'utf8').trim().split('\n')
  writeFileSync(file, `${line}\n`)
  const key = testRandom.bytes(32)
  const encrypted = vault.encrypt(holder, key)
  assert.deepEqual(Buffer.from(vaultOn(file).open(holder, encrypted)), Buffer.from(key))
  rmSync(file)
  assert.throws(() => vault.encrypt(holder, key), /ENOENT/, 'without a file nothing is sealed')
})

test('a key file whose key was replaced under its old name seals nothing, so that no wallet is lost to it', (t) => {
  const file = join(openFolder(t), 'wallet-keys')
  const { active } = createKeyFile(file, testRandom)
  const vault = vaultOn(file)
  writeFileSync(file, `${active.id}:${newKey()}\n`)
  assert.throws(() => vault.encrypt(holder, testRandom.bytes(32)), /is not what it was/)
})

test('two rotations at once lose no key: the second has to wait', (t) => {
  const file = join(openFolder(t), 'wallet-keys')
  createKeyFile(file, testRandom)
  let nested: unknown
  const meddling = {
    bytes: (count: number) => {
      if (nested !== undefined) return testRandom.bytes(count)
      nested = 'running'
      try {
        addToKeyFile(file, testRandom)
      } catch (error) {
        nested = error
      }
      return testRandom.bytes(count)
    },
  }
  assert.equal(addToKeyFile(file, meddling).byId.size, 2)
  assert.match(String(nested), /Another rotation is running/)
  assert.equal(addToKeyFile(file, testRandom).byId.size, 3)
  assert.deepEqual(readdirSync(join(file, '..')), ['wallet-keys'], 'nothing else is left lying about')
})

test('settings with a key that is short, empty, repeated or easily guessed are refused without showing it', () => {
  const good = newKey()
  assert.equal(loadConfig({ WALLET_KEYS: `a:${good}` }).walletKeys.length, 1)
  const zero = Buffer.alloc(32).toString('base64')
  for (const value of [`a:${zero}`, good, `a:${good.slice(8)}`, `a:${good},a:${good}`, `:${good}`, `a b:${good}`]) {
    assert.throws(
      () => loadConfig({ WALLET_KEYS: value }),
      (error: Error) => error.message.startsWith('WALLET_KEYS ') && !error.message.includes(good.slice(8)),
    )
  }
  assert.throws(() => toMasterKeys([master], 'key-9'), /WALLET_KEY_ACTIVE/)
})

const settingOf = (...keys: { id: string; key: Uint8Array }[]) =>
  keys.map(({ id, key }) => `${id}:${Buffer.from(key).toString('base64')}`).join()

test('a gateway with a wrong master key, or without the one that wallets need, does not start', async (t) => {
  const folder = openFolder(t)
  const own = { DATABASE_URL: `sqlite:${join(folder, 'gateway.db')}`, SECRET_KEY: sharedKeys().SECRET_KEY }
  const env = (keys: string) => ({ ...own, WALLET_KEYS: keys })
  const gateway = await openGateway(t, env(settingOf(master)))
  await gateway.app.close()
  const wrong = { id: master.id, key: other.key }
  const clock = new TestClock()
  await assert.rejects(openGateway(t, env(settingOf(wrong)), clock), /master key key-1 is not the one/)
  // Nothing that it started keeps the process running.
  assert.equal(clock.waiting, 0)
  await assert.rejects(openGateway(t, env(settingOf(other))), /master key key-1 is missing, and 1 wallets depend on it/)
  await assert.rejects(openGateway(t, env('')), /wallet-keys is missing, and wallets depend on the key key-1/)
  const again = await openGateway(t, env(settingOf(master, other)))
  assert.equal((await again.call('version')).status, 200)
})

test('wallet-keys rotate adds a key to the file beside a running gateway, which goes on signing', async (t) => {
  const gateway = await openGateway(t)
  const key = gateway.app.createdKey!
  const { address: account } = (await gateway.call('cloud_wallet', { key })).json()
  const run = (operation: string) => askCommand(gateway.folder, 'wallet-keys', operation)
  const [before] = (await run('list')) as { id: string; wallets: number; active: boolean }[]
  assert.deepEqual([before!.wallets, before!.active], [2, true])
  const { active, rewrapped } = (await run('rotate')) as { active: string; rewrapped: number }
  assert.equal(rewrapped, 2)
  assert.notEqual(active, before!.id)
  assert.deepEqual(await run('list'), [{ id: active, wallets: 2, active: true }])
  await give(gateway.app.devnet!.node, fromAddress(account!)!, parseNano('1')!)
  const sent = await gateway.call('cloud_wallet', { key, account, send: SHOP, amount: '1' })
  assert.equal(sent.status, 200, sent.text)
  await gateway.call('cloud_wallet', { key })
  const wallets = 3
  assert.deepEqual(await run('list'), [{ id: active, wallets, active: true }], 'a new wallet too is under the new key')
})
