import assert from 'node:assert/strict'
import { RECORDING, readFixture } from '../../../test/support/recorded.ts'
import { test } from 'node:test'
import { parseNano } from '../money.ts'
import { fromAddress, isAddress, toAddress } from './address.ts'
import { type Block, fromBlockJson, hashBlock, parseHex, rootOf, toBlockJson } from './block.ts'
import { deriveKey, publicKeyOf, signHash, verifyHash } from './keys.ts'
import { DEV_NETWORK, entryThreshold, epochOfLink } from './network.ts'
import { formatMultiplier, formatWork, fromMultiplier, toMultiplier, workValue } from './work.ts'

/* The kernel must compute everything as a real node V27.1 did in a recording. */

type Members = Record<string, unknown>
interface Meta {
  seed: string
  genesis: string
  accounts: Record<string, { key: string; account: string }>
  hashes: { genesis_block: string; epochs: string[] }
}

const meta = readFixture('node-fixtures-meta.json') as Meta

function parse(text: string | undefined): Members {
  try {
    return (JSON.parse(text ?? '{}') as Members | null) ?? {}
  } catch {
    // Some recorded requests are broken on purpose.
    return {}
  }
}

const pairs = RECORDING.map(({ name, request, response }) => ({
  name,
  request: parse(request),
  response: parse(response),
}))

function pairsOf(action: string) {
  const found = pairs.filter(({ request }) => request.action === action)
  assert.ok(found.length > 0, `no recorded ${action}`)
  return found
}

function textOf(members: Members, name: string): string {
  const value = members[name]
  assert.ok(typeof value === 'string', `${name} is no text`)
  return value
}

/** A request or an answer contains a block as an object, or as text. */
function membersOf(block: unknown): Members {
  return typeof block === 'string' ? parse(block) : ((block ?? {}) as Members)
}

function read(members: Members): Block | undefined {
  return fromBlockJson((name) => members[name] as string | undefined)
}

/** Who must have signed a block: its account, or the genesis account for an epoch block. */
function signerOf(block: Block): string | undefined {
  if (block.type === 'state') return epochOfLink(block.link) ? DEV_NETWORK.genesisAccount : block.account
  return block.type === 'open' ? block.account : undefined
}

test('every block the node accepted has its hash, a good signature and enough work', () => {
  const accepted = pairsOf('process').filter(({ response }) => response.hash !== undefined)
  for (const { name, request, response } of accepted) {
    const block = read(membersOf(request.block))
    assert.ok(block, name)
    assert.equal(hashBlock(block), response.hash, name)
    assert.ok(verifyHash(signerOf(block)!, hashBlock(block), block.signature), name)
    assert.ok(workValue(rootOf(block), block.work) >= entryThreshold(DEV_NETWORK.thresholds, block.type), name)
  }
  assert.equal(accepted.length, 36)
})

test('a block is malformed for the kernel exactly when it is for the node', () => {
  // A text in place of an object is refused by the node because of its form.
  const put = pairsOf('process').filter(
    ({ request, response }) => typeof request.block === 'object' && response.error !== 'RPC control is disabled',
  )
  for (const { name, request, response } of put) {
    const block = read(membersOf(request.block))
    assert.equal(block === undefined, response.error === 'Block is invalid', name)
  }
})

test('a signature is bad for the kernel exactly when it is for the node', () => {
  // A node refuses malformed blocks, wrong subtypes and weak work before it verifies the signature.
  const unchecked = /^Block is invalid$|subtype|epoch link|threshold|disabled|^Unable/
  for (const { name, request, response } of pairsOf('process')) {
    const error = typeof response.error === 'string' ? response.error : ''
    const block = unchecked.test(error) ? undefined : read(membersOf(request.block))
    const signer = block && signerOf(block)
    if (!block || !signer) continue
    assert.equal(verifyHash(signer, hashBlock(block), block.signature), error !== 'Bad signature', name)
  }
})

test('the legacy change block was signed over the hash the kernel gives it', () => {
  const { request } = pairs.find(({ name }) => name === 'process_legacy_change_after_state')!
  const block = read(membersOf(request.block))!
  assert.equal(block.type, 'change')
  assert.ok(verifyHash(fromAddress(meta.accounts.A!.account)!, hashBlock(block), block.signature))
})

test('genesis and the two epoch blocks of the development network are the known ones', () => {
  const blocks = RECORDING[0]!.effect_blocks!.map((members) => read(members)!)
  assert.deepEqual(blocks.map(hashBlock), [DEV_NETWORK.genesisHash, ...meta.hashes.epochs])
  assert.equal(meta.hashes.genesis_block, DEV_NETWORK.genesisHash)
  assert.deepEqual(
    blocks.map((block) => block.type === 'state' && epochOfLink(block.link)),
    [false, 1, 2],
  )
  for (const block of blocks) {
    assert.equal(signerOf(block), DEV_NETWORK.genesisAccount)
    assert.ok(verifyHash(DEV_NETWORK.genesisAccount, hashBlock(block), block.signature))
    assert.ok(workValue(rootOf(block), block.work) >= DEV_NETWORK.thresholds.epoch1)
  }
  // The recording tool signs without random noise, like the kernel; the node adds some.
  for (const block of blocks.slice(1)) {
    assert.equal(signHash(DEV_NETWORK.genesisPrivateKey, hashBlock(block)), block.signature)
  }
})

/** All blocks, wherever an answer contains one, as the node printed them. */
function printedBlocks(value: unknown): Members[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'contents' || name === 'block' ? [membersOf(inner)] : printedBlocks(inner),
  )
}

test('a block prints as the node prints it, member by member and in its order', () => {
  const printed = pairs
    .flatMap(({ response }) => printedBlocks(response))
    .filter(({ signature, work }) => signature !== undefined && work !== undefined)
  for (const members of printed) {
    assert.equal(JSON.stringify(toBlockJson(read(members)!)), JSON.stringify(members))
  }
  assert.ok(printed.some(({ type }) => type === 'open'))
  assert.ok(printed.length > 20)
})

test('hashes and signatures on request are those of the node', () => {
  for (const { name, request, response } of pairsOf('block_hash')) {
    const block = read(membersOf(request.block))
    assert.equal(block && hashBlock(block), response.hash, name)
  }
  for (const { name, request, response } of pairsOf('sign')) {
    const hash = request.block === undefined ? textOf(request, 'hash') : hashBlock(read(membersOf(request.block))!)
    assert.ok(verifyHash(publicKeyOf(textOf(request, 'key')), hash, textOf(response, 'signature')), name)
  }
})

test('a block the node built has its hash, signature and difficulty', () => {
  for (const { name, response } of pairsOf('block_create')) {
    if (response.block === undefined) continue
    const block = read(membersOf(response.block))!
    assert.equal(hashBlock(block), response.hash, name)
    assert.ok(verifyHash(signerOf(block)!, hashBlock(block), block.signature), name)
    assert.equal(formatWork(workValue(rootOf(block), block.work)), response.difficulty, name)
  }
})

test('the seed of the recording gives the keys and addresses of its seven accounts', () => {
  for (const [index, { key, account }] of Object.values(meta.accounts).entries()) {
    assert.equal(deriveKey(meta.seed, index), key)
    assert.equal(toAddress(publicKeyOf(key)), account)
    assert.equal(fromAddress(account), publicKeyOf(key))
  }
  assert.equal(Object.keys(meta.accounts).length, 7)
  assert.equal(meta.genesis, toAddress(DEV_NETWORK.genesisAccount))
})

test('keys expand as the node expands them', () => {
  const expanded = ['key_expand', 'deterministic_key', 'key_create'].flatMap(pairsOf)
  for (const { name, request, response } of expanded) {
    if (response.private === undefined) continue
    const privateKey = textOf(response, 'private')
    assert.equal(publicKeyOf(privateKey), response.public, name)
    assert.equal(toAddress(textOf(response, 'public')), response.account, name)
    if (request.seed !== undefined)
      assert.equal(deriveKey(textOf(request, 'seed'), Number(request.index)), privateKey, name)
  }
})

test('the node and the kernel agree which addresses exist', () => {
  for (const { name, request, response } of pairsOf('validate_account_number')) {
    if (typeof request.account !== 'string' || response.valid === undefined) continue
    assert.equal(isAddress(request.account), response.valid === '1', name)
  }
  for (const { name, request, response } of pairsOf('account_get')) {
    // A node reads a short key as a small number.
    assert.equal(toAddress(parseHex(textOf(request, 'key'), 64)!), response.account, name)
  }
  for (const { name, request, response } of pairsOf('account_key')) {
    assert.equal(fromAddress(textOf(request, 'account')), response.key, name)
  }
})

test('whole nano are as many raw as the node says', () => {
  for (const amount of ['1', '123', '340282366']) {
    const { response } = pairsOf('nano_to_raw').find(({ request }) => request.amount === amount)!
    assert.equal(parseNano(amount)?.toString(), response.amount)
  }
})

test('every work value has the difficulty, the multiplier and the verdicts of the node', () => {
  const { send, receive } = DEV_NETWORK.thresholds
  const answered = ['work_generate', 'work_validate'].flatMap(pairsOf).filter(({ response }) => response.difficulty)
  for (const { name, request, response } of answered) {
    // Without `work` the node validates zero.
    const work = parseHex(textOf({ work: '0', ...request, ...response }, 'work'), 16)!
    const value = workValue(textOf(request, 'hash'), work)
    const verdict = (threshold: bigint) => (value >= threshold ? '1' : '0')
    assert.equal(formatWork(value), response.difficulty, name)
    assert.equal(formatMultiplier(toMultiplier(value, send)), response.multiplier, name)
    if (request.action === 'work_generate') {
      const asked =
        request.multiplier === undefined
          ? BigInt(`0x${textOf({ difficulty: formatWork(send), ...request }, 'difficulty')}`)
          : fromMultiplier(Number(request.multiplier), send)
      assert.ok(value >= asked, name)
    } else {
      assert.equal(verdict(send), response.valid_all, name)
      assert.equal(verdict(receive), response.valid_receive, name)
      if (response.valid !== undefined) {
        assert.equal(verdict(BigInt(`0x${textOf(request, 'difficulty')}`)), response.valid, name)
      }
    }
  }
  assert.ok(answered.length >= 15)
})

test('the node names the thresholds of the development network', () => {
  for (const { response } of pairsOf('active_difficulty')) {
    assert.equal(response.network_minimum, formatWork(DEV_NETWORK.thresholds.send))
    assert.equal(response.network_receive_minimum, formatWork(DEV_NETWORK.thresholds.receive))
  }
})
