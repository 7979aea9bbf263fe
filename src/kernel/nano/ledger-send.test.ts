import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer, frontierAfter, nano } from '../../../test/support/blocks.ts'
import { DEV_NETWORK } from './network.ts'
import { ZERO_HASH, hashBlock, toBlockJson } from './block.ts'
import { computeAmount, proveBlock, receiverOf, toLedgerSend } from './ledger-send.ts'
import { toAddress } from './address.ts'
import { RAW_MAX } from '../money.ts'
import { WORK_THRESHOLDS } from './work.ts'

const payer = new Signer(1)
const shop = new Signer(2)
const opened = payer.receive(
  { previous: ZERO_HASH, balance: 0n, representative: DEV_NETWORK.genesisAccount },
  'A'.repeat(64),
  nano(5),
)
const paid = payer.send(frontierAfter(opened), shop.key, nano(2))
const hash = hashBlock(paid)
const reportedOf = (contents: object) => ({ contents: { ...contents } as Record<string, string> })

test('a send is computed only from its contents and those of its predecessor', () => {
  const reported = { ...reportedOf(toBlockJson(paid)), amount: '1', subtype: 'receive', block_account: shop.address }
  const proven = proveBlock(hash, reported, 0n)!
  assert.deepEqual([proven.account, receiverOf(proven.block)], [payer.key, shop.key])
  const previous = { ...reportedOf(toBlockJson(opened)), balance: '0' }
  assert.equal(computeAmount(proven.block, previous), nano(2))
  // The contents of a block other than the predecessor prove nothing, and without any contents nothing is known.
  assert.equal(computeAmount(proven.block, reportedOf(toBlockJson(paid))), undefined)
  assert.equal(computeAmount(proven.block, {}), undefined)
})

test('a block whose contents, signature or signer was changed in any place is none', () => {
  const contents = toBlockJson(paid)
  const others: Record<string, string> = {
    account: shop.address,
    previous: 'B'.repeat(64),
    representative: shop.address,
    balance: (paid.balance + 1n).toString(),
    link: payer.key,
  }
  for (const [name, value] of Object.entries(others)) {
    assert.equal(proveBlock(hash, reportedOf({ ...contents, [name]: value }), 0n), undefined, name)
  }
  const otherBlock = { ...paid, balance: paid.balance }
  const signedByNobody = { ...toBlockJson(otherBlock), signature: '0'.repeat(128) }
  assert.equal(proveBlock(hash, reportedOf(signedByNobody), 0n), undefined)
  const signedElsewhere = { ...contents, signature: opened.signature }
  assert.equal(proveBlock(hash, reportedOf(signedElsewhere), 0n), undefined)
  assert.equal(proveBlock(hash, reportedOf(contents), WORK_THRESHOLDS.live.receive), undefined)
  assert.ok(proveBlock(hash, reportedOf(contents), 0n))
})

test('receives, changes and epochs are not sends', () => {
  const received = payer.receive(frontierAfter(paid), 'C'.repeat(64), nano(1))
  const changed = payer.change(frontierAfter(paid), shop.key)
  for (const block of [received, changed]) assert.equal(computeAmount(block, reportedOf(toBlockJson(paid))), undefined)
})

/**
 * The first send of the live network has an old type: it names its recipient, but only the signature shows its account.
 */
const FIRST_SEND = {
  hash: 'A170D51B94E00371ACE76E35AC81DC9405D5D04D4CEBC399AEACE07AE05DD293',
  contents: {
    type: 'send',
    previous: '991CF190094C00F0B68E2E5F75F6BEE95A2E0BD93CEAA4A6734DB9F19B728948',
    destination: 'nano_13ezf4od79h1tgj9aiu4djzcmmguendtjfuhwfukhuucboua8cpoihmh8byo',
    balance: 'FD89D89D89D89D89D89D89D89D89D89D',
    work: '3c82cc724905ee95',
    signature:
      '5B11B17DB9C8FE0CC58CAC6A6EECEF9CB122DA8A81C6D3DB1B5EE3AB065AA8F8CB1D6765C8EB91B58530C5FF5987AD95E6D34BB57F44257E20795EE412E61600',
  },
}
const FIRST_OPEN = {
  type: 'open',
  source: 'E89208DD038FBB269987689621D52292AE9C35941A7484756ECCED92A65093BA',
  representative: 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3',
  account: 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3',
  work: '62f05417dd3fb691',
  signature:
    '9F0C933C8ADE004D808EA1985FA746A7E95BA2A38F867640F53EC8F180BDFE9E2C1268DEAD7C2664F356E37ABA362BC58E46DBA03E523A7B5A19E4B6EB12BB02',
}

test('a legacy send is a payment like any other, and its account is accepted if it has signed', () => {
  const { hash: first, contents } = FIRST_SEND
  const least = WORK_THRESHOLDS.live.receive
  const proven = proveBlock(first, { ...reportedOf(contents), block_account: FIRST_OPEN.account }, least)!
  assert.deepEqual(
    [toAddress(proven.account), toAddress(receiverOf(proven.block)!)],
    [FIRST_OPEN.account, contents.destination],
  )
  // The predecessor does not state its balance, so only a node's report is available.
  const amount = computeAmount(proven.block, { ...reportedOf(FIRST_OPEN), balance: RAW_MAX.toString() })
  assert.equal(amount, RAW_MAX - BigInt(`0x${contents.balance}`))
  for (const liar of [shop.address, '', undefined]) {
    assert.equal(proveBlock(first, { ...reportedOf(contents), block_account: liar }, least), undefined)
  }
})

test('no single node says when a payment was made, or whether it still waits', () => {
  const proven = proveBlock(hash, reportedOf(toBlockJson(paid)), 0n)!
  const said = (least: number, ...reports: [seconds: number, waits: boolean][]) => {
    const all = reports.map(([seconds, waits]) => ({ local_timestamp: `${seconds}`, receivable: waits ? '1' : '0' }))
    const { seconds, waits } = toLedgerSend(hash, proven, { amountRaw: nano(2), reports: all, least, isFinal: true })
    return [seconds, waits]
  }
  assert.deepEqual(said(1, [1_000, true]), [1_000, true])
  // One of two nodes may have been synced recently, or may lie. The later time is the one that both vouch for.
  assert.deepEqual(said(2, [1_000, true], [9_000, true]), [9_000, true])
  assert.deepEqual(said(2, [1_000, true], [1_001, false]), [1_001, undefined])
  assert.deepEqual(said(2, [1, false], [1_001, true], [1_002, true]), [1_001, true])
  assert.deepEqual(said(2, [9_000, true], [1_001, false], [1_002, false]), [1_002, false])
  assert.deepEqual(said(2, [0, false], [0, false]), [0, false])
})
