import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blake2b } from '@noble/hashes/blake2.js'
import { type SeededRandom, repeat } from '../../../test/support/random.ts'
import { RAW_MAX, toRaw } from '../money.ts'
import { fromAddress, toAddress } from './address.ts'
import { type Block, ZERO_HASH, fromBlockJson, hashBlock, parseHex, previousOf, rootOf, toBlockJson } from './block.ts'
import { bytesToHex, hexToBytes } from './hex.ts'
import { verifyHash } from './keys.ts'
import { WORK_THRESHOLDS, workValue } from './work.ts'

const TYPES = ['state', 'send', 'receive', 'open', 'change'] as const

function randomBlock(random: SeededRandom, type: Block['type']): Block {
  const previous = random.hex(64)
  const representative = random.hex(64)
  const account = random.hex(64)
  const balance = toRaw(random.bigint(128))
  const encrypted = { signature: random.hex(128), work: random.hex(16).toLowerCase() }
  switch (type) {
    case 'state':
      return { type, account, previous, representative, balance, link: random.hex(64), ...encrypted }
    case 'send':
      return { type, previous, destination: random.hex(64), balance, ...encrypted }
    case 'receive':
      return { type, previous, source: random.hex(64), ...encrypted }
    case 'open':
      return { type, source: random.hex(64), representative, account, ...encrypted }
    case 'change':
      return { type, previous, representative, ...encrypted }
  }
}

function read(members: Record<string, string>): Block | undefined {
  return fromBlockJson((name) => members[name])
}

/** The first two blocks of the live network in their well-known JSON. */
const LIVE_OPEN = {
  type: 'open',
  source: 'E89208DD038FBB269987689621D52292AE9C35941A7484756ECCED92A65093BA',
  representative: 'xrb_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3',
  account: 'xrb_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3',
  work: '62f05417dd3fb691',
  signature:
    '9F0C933C8ADE004D808EA1985FA746A7E95BA2A38F867640F53EC8F180BDFE9E2C1268DEAD7C2664F356E37ABA362BC58E46DBA03E523A7B5A19E4B6EB12BB02',
}
const LIVE_OPEN_HASH = '991CF190094C00F0B68E2E5F75F6BEE95A2E0BD93CEAA4A6734DB9F19B728948'
const LIVE_SEND = {
  type: 'send',
  previous: LIVE_OPEN_HASH,
  destination: 'xrb_13ezf4od79h1tgj9aiu4djzcmmguendtjfuhwfukhuucboua8cpoihmh8byo',
  balance: 'FD89D89D89D89D89D89D89D89D89D89D',
  work: '3c82cc724905ee95',
  signature:
    '5B11B17DB9C8FE0CC58CAC6A6EECEF9CB122DA8A81C6D3DB1B5EE3AB065AA8F8CB1D6765C8EB91B58530C5FF5987AD95E6D34BB57F44257E20795EE412E61600',
}
const LIVE_SEND_HASH = 'A170D51B94E00371ACE76E35AC81DC9405D5D04D4CEBC399AEACE07AE05DD293'

test('the first blocks of the live network have their hash, signature and work', () => {
  const account = fromAddress(LIVE_OPEN.account)!
  for (const [members, hash] of [
    [LIVE_OPEN, LIVE_OPEN_HASH],
    [LIVE_SEND, LIVE_SEND_HASH],
  ] as const) {
    const block = read(members)!
    assert.equal(hashBlock(block), hash)
    assert.ok(verifyHash(account, hash, block.signature))
    assert.ok(workValue(rootOf(block), block.work) >= WORK_THRESHOLDS.live.epoch1)
  }
})

test('a legacy block hashes its members without a preamble, in the order the node has them', () =>
  repeat(20, (random) => {
    const [previous, source] = [random.hex(64), random.hex(64)]
    const [account, representative] = [random.hex(64), random.hex(64)]
    const balance = toRaw(random.bigint(128))
    const encrypted = { signature: random.hex(128), work: random.hex(16).toLowerCase() }
    const amount = balance.toString(16).padStart(32, '0')
    const table: [Block, string][] = [
      [{ type: 'send', previous, destination: account, balance, ...encrypted }, previous + account + amount],
      [{ type: 'receive', previous, source, ...encrypted }, previous + source],
      [{ type: 'open', source, representative, account, ...encrypted }, source + representative + account],
      [{ type: 'change', previous, representative, ...encrypted }, previous + representative],
    ]
    for (const [block, hashed] of table) {
      assert.equal(hashBlock(block), bytesToHex(blake2b(hexToBytes(hashed), { dkLen: 32 })), block.type)
    }
  }))

for (const type of TYPES) {
  test(`a block of type ${type} survives the way over JSON text`, () =>
    repeat(100, (random) => {
      const block = randomBlock(random, type)
      const text = JSON.stringify(toBlockJson(block))
      assert.deepEqual(read(JSON.parse(text) as Record<string, string>), block)
    }))

  test(`a block of type ${type} without one of its members, or with a broken one, is none`, () =>
    repeat(5, (random) => {
      const members = toBlockJson(randomBlock(random, type))
      for (const name of Object.keys(members)) {
        if (name === 'link_as_account') continue
        const { [name]: _, ...rest } = members
        assert.equal(read(rest), undefined, `without ${name}`)
        assert.equal(read({ ...members, [name]: 'zz' }), undefined, `broken ${name}`)
        assert.equal(read({ ...members, [name]: ` ${members[name]}` }), undefined, `a blank before ${name}`)
        // The length of a decimal balance varies; its limit is tested below.
        if (type === 'state' && name === 'balance') continue
        assert.equal(read({ ...members, [name]: `${members[name]}0` }), undefined, `one digit more in ${name}`)
      }
    }))

  test(`the hash of a block of type ${type} covers every member but signature and work`, () =>
    repeat(20, (random) => {
      const block = randomBlock(random, type)
      const other = randomBlock(random, type)
      // Two random balances may be equal, because small ones occur, too.
      if ('balance' in block && 'balance' in other && block.balance === other.balance) return
      for (const name of Object.keys(block)) {
        if (name === 'type') continue
        const changed = { ...block, [name]: other[name as keyof Block] }
        assert.equal(hashBlock(changed) === hashBlock(block), name === 'signature' || name === 'work', name)
      }
    }))
}

test('a state block prints its members in the order of the node', () => {
  const members = toBlockJson({
    type: 'state',
    account: '1'.repeat(64),
    previous: ZERO_HASH,
    representative: '2'.repeat(64),
    balance: RAW_MAX,
    link: 'A'.repeat(64),
    signature: 'B'.repeat(128),
    work: '00e6ddc8a9e995b2',
  })
  assert.deepEqual(Object.entries(members), [
    ['type', 'state'],
    ['account', toAddress('1'.repeat(64))],
    ['previous', ZERO_HASH],
    ['representative', toAddress('2'.repeat(64))],
    ['balance', '340282366920938463463374607431768211455'],
    ['link', 'A'.repeat(64)],
    ['link_as_account', toAddress('A'.repeat(64))],
    ['signature', 'B'.repeat(128)],
    ['work', '00e6ddc8a9e995b2'],
  ])
})

test('members may be short, in either case, with 0x in front, and the link an address', () =>
  repeat(20, (random) => {
    const block = randomBlock(random, 'state')
    assert.ok(block.type === 'state')
    const members = toBlockJson(block)
    const lower = { previous: block.previous.toLowerCase(), signature: block.signature.toLowerCase() }
    assert.deepEqual(read({ ...members, ...lower, work: block.work.toUpperCase() }), block)
    assert.deepEqual(read({ ...members, link: toAddress(block.link) }), block)
    const short = read({ ...members, previous: '0', link: '0xF1', signature: 'ab', work: '1' })
    assert.deepEqual(short, {
      ...block,
      previous: ZERO_HASH,
      link: 'F1'.padStart(64, '0'),
      signature: 'AB'.padStart(128, '0'),
      work: '0000000000000001',
    })
  }))

test('redundant fields about a state block’s link or subtype are ignored; there are five kinds', () =>
  repeat(5, (random) => {
    const block = randomBlock(random, 'state')
    const { link_as_account: _, ...members } = toBlockJson(block)
    assert.deepEqual(read(members), block)
    assert.deepEqual(read({ ...members, link_as_account: 'zz', subtype: 'zz' }), block)
    for (const type of ['', 'State', 'epoch', 'utx', 'constructor', '__proto__']) {
      assert.equal(read({ ...toBlockJson(block), type }), undefined, type)
    }
  }))

test('a balance is decimal in a state block, where empty text is zero, and hexadecimal in a legacy send', () =>
  repeat(5, (random) => {
    const state = toBlockJson(randomBlock(random, 'state'))
    const balanceOf = (members: Record<string, string>) => {
      const block = read(members)
      return block !== undefined && 'balance' in block ? block.balance : undefined
    }
    assert.equal(balanceOf({ ...state, balance: '' }), 0n)
    assert.equal(balanceOf({ ...state, balance: '10' }), 10n)
    for (const balance of ['-1', '1.0', '0xff', '01', (RAW_MAX + 1n).toString()]) {
      assert.equal(read({ ...state, balance }), undefined, balance)
    }
    const send = toBlockJson(randomBlock(random, 'send'))
    assert.equal(balanceOf({ ...send, balance: '10' }), 16n)
    assert.equal(balanceOf({ ...send, balance: 'F'.repeat(32) }), RAW_MAX)
    assert.equal(read({ ...send, balance: '' }), undefined)
  }))

test('work is computed for the predecessor, or for the account of a first block', () =>
  repeat(20, (random) => {
    for (const type of TYPES) {
      const block = randomBlock(random, type)
      const previous = block.type === 'open' ? ZERO_HASH : block.previous
      assert.equal(previousOf(block), previous)
      assert.equal(rootOf(block), block.type === 'open' ? block.account : previous)
      if (block.type === 'state') assert.equal(rootOf({ ...block, previous: ZERO_HASH }), block.account)
    }
  }))

test('hexadecimal reads as the node reads it: 0x counts towards the digits, and nothing is no number', () => {
  assert.equal(parseHex('f1', 4), '00F1')
  assert.equal(parseHex('0xf1', 4), '00F1')
  assert.equal(parseHex('ABCD', 4), 'ABCD')
  for (const text of ['', '0x', '0xABC', 'ABCDE', '00000', 'zz', '-1', '+1', ' 1', '1 ', '1\n', '1.0']) {
    assert.equal(parseHex(text, 4), undefined, JSON.stringify(text))
  }
})
