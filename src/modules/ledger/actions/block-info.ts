import { nodeRead, action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { type JsonObject, orEmpty, toObject } from '../../../kernel/shape.ts'
import { shapeBlock, readBlock } from '../blocks.ts'
import { CONTENTS, EXAMPLE_CONTENTS } from './blocks.ts'
import { LedgerRefusal } from '../../../kernel/errors.ts'
import { requireHashes } from '../identifiers.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { hashBlock } from '../../../kernel/nano/block.ts'

const BLOCK = answer.record({
  block_account: answer.address,
  amount: answer.optional(answer.raw),
  amount_nano: answer.optional(answer.nano),
  balance: answer.raw,
  balance_nano: answer.nano,
  height: answer.whole,
  local_timestamp: answer.whole,
  successor: answer.hash,
  confirmed: answer.flag,
  subtype: answer.optional(answer.text),
  contents: CONTENTS,
})

const EXAMPLE_BLOCK = {
  block_account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
  amount: '0',
  amount_nano: '0',
  balance: '340282366920938463463374607431768211455',
  balance_nano: '340282366.920938463463374607431768211455',
  height: '3',
  local_timestamp: '1794710042',
  successor: 'D0E790C69A92988659F6DBD6E24ACB1714FCB7F5DD59E6C02F83C7B525823D40',
  confirmed: 'true',
  contents: EXAMPLE_CONTENTS,
  subtype: 'epoch',
}

export const blockInfo = nodeRead({
  name: 'block_info',
  synonyms: ['block'],
  summary: 'One block with its amount, height, confirmation and contents.',
  input: input({
    hash: field.hash,
    json_block: optional(field.flag('`false` returns the contents as JSON inside a string.')),
  }),
  example: {
    request: { hash: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419' },
    response: EXAMPLE_BLOCK,
  },
  output: BLOCK,
  refusals: ['Block not found'],
  async run({ node }, { hash, json_block }) {
    const asText = json_block === false
    return shapeBlock((await node.read('block_info', { hash, json_block: !asText })) as JsonObject)
  },
})

export const blocksInfo = nodeRead({
  name: 'blocks_info',
  summary: 'Many blocks by hash. An unknown hash fails the request, unless `include_not_found` lists them instead.',
  input: input({
    hashes: field.hashes,
    json_block: optional(field.flag('`false` returns the contents as JSON inside a string.')),
    pending: optional(field.flag('Old name of `receivable`.')),
    receivable: optional(field.flag('Include whether each is still receivable.')),
    receive_hash: optional(field.flag('Include the block that received each.')),
    source: optional(field.flag('Include the sender of each.')),
    include_not_found: optional(field.flag('List unknown hashes under `blocks_not_found`.')),
  }),
  example: {
    request: { hashes: ['7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419'], source: true },
    response: {
      blocks: {
        '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419': { ...EXAMPLE_BLOCK, source_account: '0' },
      },
    },
  },
  output: answer.record({
    blocks: answer.orNothing(
      answer.map(
        answer.record({
          ...BLOCK.properties,
          receive_hash: answer.optional(answer.hash),
          source_account: answer.optional(answer.text),
        }),
      ),
    ),
    blocks_not_found: answer.optional(answer.orNothing(answer.list(answer.text))),
  }),
  refusals: ['Block not found'],
  async run({ node }, { hashes, json_block, pending, receivable, include_not_found, ...rest }) {
    const wanted = requireHashes(hashes)
    if (wanted.length === 0) return { blocks: '', ...(include_not_found && { blocks_not_found: '' }) }
    // Always requested, so that a missing hash is never dropped silently (contract 4.1).
    const answer = await node.read('blocks_info', {
      hashes: [...new Set(wanted)],
      json_block: json_block !== false,
      receivable: receivable ?? pending,
      ...rest,
      include_not_found: true,
    })
    const found = toObject(answer.blocks)
    const blocks: JsonObject = {}
    const missing: string[] = []
    hashes.forEach((given, at) => {
      const block = found[wanted[at]!]
      if (block === undefined) missing.push(given)
      else blocks[given] = shapeBlock(toObject(block))
    })
    if (missing.length > 0 && !include_not_found) throw new LedgerRefusal('Block not found')
    return {
      blocks: orEmpty(blocks),
      ...(include_not_found && { blocks_not_found: missing.length > 0 ? missing : '' }),
    }
  },
})

export const blockAccount = nodeRead({
  name: 'block_account',
  summary: 'The account a block belongs to.',
  input: input({ hash: field.hash }),
  example: {
    request: { hash: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419' },
    response: { account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo' },
  },
  output: answer.record({ account: answer.address }),
  refusals: ['Block not found'],
})

export const blockConfirm = action({
  name: 'block_confirm',
  ofNode: true,
  summary: 'Asks the representatives to vote on an unconfirmed block.',
  input: input({ hash: field.hash }),
  example: {
    request: { hash: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419' },
    response: { started: '1' },
  },
  output: answer.record({ started: answer.bit }),
  refusals: ['Block not found'],
  auth: 'none',
  scope: 'read',
  run: (ctx, { hash }) => confirm(ctx, hash),
  asNode: { run: (ctx, { request }) => confirm(ctx, request.hash()) },
})

/** For a confirmed block the node is not asked: it would give the same answer and notify all its subscribers again, on anyone's request. */
async function confirm({ node }: Ctx, hash: string): Promise<JsonObject> {
  const { confirmed } = await node.read('block_info', { hash, json_block: true })
  if (confirmed === 'true') return { started: '1' }
  return (await node.read('block_confirm', { hash })) as JsonObject
}

export const blockHash = nodeRead({
  name: 'block_hash',
  summary: 'The hash of a block, computed here.',
  input: input({ block: field.block, json_block: optional(field.flag('Accepted for compatibility.')) }),
  example: {
    request: {
      block: {
        type: 'state',
        account: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
        previous: '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419',
        representative: 'nano_3e3j5tkog48pnny9dmfzj1r16pg8t1e76dz5tmac6iq689wyjfpiij4txtdo',
        balance: '340281366920938463463374607431768211455',
        link: 'AD1AB65F341723E167F551D1C0EBC9CF000888E522D427563C3C2850513FDF0C',
        signature:
          '3DEF878CFD1BE5A240F05CB393C8DA960F20696B745519F09D59CCA2EE67CA0C7C19EEEFE3CE02C5EA0BEE7416D0F2FE857DB5160F08DAE91365417A4DB2DA05',
        work: '008f36b9cce86315',
      },
    },
    response: { hash: 'D02DD41B2BC71DCD701A89A7F713ECD26BCD9FAD1F18B3029F94A08E274F02F7' },
  },
  output: answer.record({ hash: answer.hash }),
  local: true,
  run: (_ctx, { block }) => ({ hash: hashBlock(readBlock(block)) }),
})
