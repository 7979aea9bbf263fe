import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { block as web, tools, wallet } from 'nanocurrency-web'
import { type SeededRandom, repeat } from '../../../test/support/random.ts'
import { RAW_PER_NANO, formatNano, parseNano, toRaw } from '../money.ts'
import { BURN_ADDRESS, fromAddress, isAddress, toAddress } from './address.ts'
import { type StateBlock, ZERO_HASH, fromBlockJson, hashBlock, rootOf, toBlockJson } from './block.ts'
import { bytesToHex, hexToBytes } from './hex.ts'
import { deriveKey, publicKeyOf, signHash, verifyHash } from './keys.ts'
import { WORK_THRESHOLDS, workValue } from './work.ts'

/* Two libraries by others, which wallets use, must give the same results, in both directions. */

/** The part of bananojs that is used here; its own type declarations lack most of it. */
interface BananoJs {
  getPrivateKey(seed: string, index: number): string
  getPublicKey(privateKey: string): Promise<string>
  getNanoAccount(publicKey: string): string
  getAccountPublicKey(address: string): string
  getNanoAccountValidationInfo(address: string): { valid: boolean }
  getBlockHash(block: Record<string, string>): string
  getSignature(privateKey: string, block: Record<string, string>): Promise<string>
  signHash(privateKey: string, hash: string): string
  verify(hash: string, signature: string, publicKey: string): boolean
  getRawStrFromNanoStr(nano: string): string
  getNanoPartsFromRaw(raw: string): { nano: string; nanoshi: string; raw: string }
  getBlake2bHash(bytes: Uint8Array, size: number): Uint8Array
  isWorkValid(root: Uint8Array, work: Uint8Array): boolean
}

/** Safe because the tests below call every member that the interface names. */
const banano = createRequire(import.meta.url)('@bananocoin/bananojs') as BananoJs

const randomAddress = (random: SeededRandom) => toAddress(random.hex(64))

function randomSigned(random: SeededRandom, privateKey: string): StateBlock {
  const unsigned: StateBlock = {
    type: 'state',
    account: publicKeyOf(privateKey),
    previous: random.below(4) === 0 ? ZERO_HASH : random.hex(64),
    representative: random.hex(64),
    balance: toRaw(random.bigint(128)),
    link: random.hex(64),
    signature: '',
    work: random.hex(16).toLowerCase(),
  }
  return { ...unsigned, signature: signHash(privateKey, hashBlock(unsigned)) }
}

test('a seed gives the same private keys, public keys and addresses everywhere', () =>
  repeat(5, async (random) => {
    const seed = random.hex(64)
    const index = random.below(2 ** 31)
    const [account] = wallet.legacyAccounts(seed, index, index)
    const privateKey = deriveKey(seed, index)
    assert.equal(privateKey, banano.getPrivateKey(seed, index))
    assert.equal(privateKey, account?.privateKey.toUpperCase())
    const key = publicKeyOf(privateKey)
    assert.equal(key, await banano.getPublicKey(privateKey))
    assert.equal(key, account?.publicKey.toUpperCase())
    assert.equal(toAddress(key), account?.address)
  }))

test('an address names the same key everywhere, and a wrong letter in it is refused everywhere', () =>
  repeat(100, (random) => {
    const key = random.hex(64)
    const address = toAddress(key)
    assert.equal(address, banano.getNanoAccount(key))
    assert.equal(address, tools.publicKeyToAddress(key))
    assert.equal(fromAddress(address), banano.getAccountPublicKey(address))
    assert.equal(fromAddress(address), tools.addressToPublicKey(address).toUpperCase())
    assert.ok(tools.validateAddress(address))
    assert.ok(banano.getNanoAccountValidationInfo(address).valid)
    const index = 'nano_'.length + random.below(60)
    const letter = random.pick('13456789abcdefghijkmnopqrstuwxyz')
    const changed = address.slice(0, index) + letter + address.slice(index + 1)
    assert.equal(isAddress(changed), changed === address)
    assert.equal(tools.validateAddress(changed), changed === address)
    assert.equal(banano.getNanoAccountValidationInfo(changed).valid, changed === address)
  }))

test('a state block has the same hash, and our signature of it is good, everywhere', () =>
  repeat(4, async (random) => {
    const privateKey = random.hex(64)
    const block = randomSigned(random, privateKey)
    const members = toBlockJson(block)
    assert.equal(hashBlock(block), banano.getBlockHash(members))
    assert.ok(banano.verify(hashBlock(block), block.signature, block.account))
    assert.ok(tools.verifyBlock(block.account, members as Record<keyof StateBlock, string>))
    // Without random noise there is only one signature, so the libraries must agree exactly.
    assert.equal(block.signature, await banano.getSignature(privateKey, members))
  }))

test('a hash signed elsewhere is good here, and bad when one digit is wrong', () =>
  repeat(4, (random) => {
    const privateKey = random.hex(64)
    const hash = random.hex(64)
    const signature = banano.signHash(privateKey, hash)
    const key = publicKeyOf(privateKey)
    assert.ok(verifyHash(key, hash, signature))
    assert.equal(signature, signHash(privateKey, hash))
    const index = random.below(128)
    const wrong = signature.slice(0, index) + (signature[index] === '0' ? '1' : '0') + signature.slice(index + 1)
    assert.equal(verifyHash(key, hash, wrong), false)
    assert.equal(banano.verify(hash, wrong, key), false)
  }))

test('sends, receives and changes that another wallet signed are good here', () =>
  repeat(3, (random) => {
    const privateKey = random.hex(64)
    const key = publicKeyOf(privateKey)
    const account = toAddress(key)
    const balance = random.bigint(127)
    const amount = random.bigint(64) % (balance + 1n)
    const common = {
      walletBalanceRaw: balance.toString(),
      representativeAddress: randomAddress(random),
      frontier: random.hex(64),
      work: random.hex(16).toLowerCase(),
    }
    const amountRaw = amount.toString()
    const to = randomAddress(random)
    const source = random.hex(64)
    const signed = [
      web.send({ ...common, fromAddress: account, toAddress: to, amountRaw }, privateKey),
      web.receive({ ...common, toAddress: account, transactionHash: source, amountRaw }, privateKey),
      web.representative({ ...common, address: account }, privateKey),
    ]
    const blocks = signed.map((members) => fromBlockJson((name) => ({ ...members })[name as keyof typeof members])!)
    for (const block of blocks) {
      assert.ok(verifyHash(key, hashBlock(block), block.signature))
      assert.equal(rootOf(block), common.frontier)
    }
    assert.deepEqual(
      blocks.map((block) => block.type === 'state' && [block.balance, block.link]),
      [
        [balance - amount, fromAddress(to)],
        [balance + amount, source],
        [balance, fromAddress(BURN_ADDRESS)],
      ],
    )
  }))

test('raw and nano convert to the same amounts everywhere', () =>
  repeat(300, (random) => {
    const raw = toRaw(random.bigint(128))
    const nano = formatNano(raw)
    assert.equal(banano.getRawStrFromNanoStr(nano), raw.toString())
    assert.equal(tools.convert(nano, 'NANO', 'RAW'), raw.toString())
    assert.equal(parseNano(tools.convert(raw.toString(), 'RAW', 'NANO')), raw)
    const parts = banano.getNanoPartsFromRaw(raw.toString())
    assert.equal(BigInt(parts.nano) * RAW_PER_NANO + BigInt(parts.nanoshi) * 10n ** 24n + BigInt(parts.raw), raw)
    assert.equal(nano.split('.')[0], parts.nano)
  }))

test('a work value is the same hash elsewhere, and enough for a receive on the live network when it is there', () =>
  repeat(100, (random) => {
    const root = random.hex(64)
    const work = random.hex(16)
    const input = Uint8Array.from([...hexToBytes(work).reverse(), ...hexToBytes(root)])
    const digest = bytesToHex(banano.getBlake2bHash(input, 8).reverse())
    assert.equal(workValue(root, work), BigInt(`0x${digest}`))
    const known = ['718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2', '2BF29EF00786A6BC'] as const
    for (const [hash, one] of [known, [root, work]] as const) {
      const enough = workValue(hash, one) >= WORK_THRESHOLDS.live.receive
      assert.equal(enough, banano.isWorkValid(hexToBytes(hash), hexToBytes(one).reverse()), one)
      if (one === known[1]) assert.ok(enough)
    }
  }))
