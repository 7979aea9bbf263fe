import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { AppError, LedgerRefusal } from '../../../kernel/errors.ts'
import { field, input, optional } from '../../../kernel/fields.ts'
import { toAddress } from '../../../kernel/nano/address.ts'
import { type Block, hashBlock } from '../../../kernel/nano/block.ts'
import { CONTROL_IS_DISABLED } from '../../../kernel/nano/control-actions.ts'
import type { NodeRequest } from '../../../kernel/nano/node-request.ts'
import type { Json } from '../../../kernel/shape.ts'
import { readBlock } from '../blocks.ts'
import type { LedgerContext } from '../context.ts'

const OLD_BLOCK = 'Old block'

export const processBlock = action({
  name: 'process',
  ofNode: true,
  summary: 'Publishes a signed block. Do not repeat it blindly: after a timeout look the block up first.',
  input: input({
    block: field.block,
    subtype: optional(field.subtype),
    json_block: optional(field.flag('Accepted for compatibility; both forms of a block are read.')),
    do_work: optional(field.flag('Computes the work of a block that has none, which counts like `work_generate`.')),
    force: optional(field.flag('Refused: only a node operator may force a block.')),
  }),
  example: {
    request: {
      json_block: true,
      subtype: 'send',
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
  errors: {
    invalid_block: 'The block cannot be read.',
    feature_disabled: '`force` was given.',
    publish_unknown: 'It is not known whether the block arrived; look `hash` up before you send it again.',
    publish_timeout: 'The same: the nodes took too long.',
  },
  refusals: [
    OLD_BLOCK,
    'Fork',
    'Gap previous block',
    'Gap source block',
    'Bad signature',
    'Balance and amount delta do not match',
    'Unreceivable',
    'Block work is less than threshold',
  ],
  auth: 'none',
  scope: 'read',
  once: true,
  scopeWhen: ({ do_work }) => (do_work === true ? 'work' : 'read'),
  async run(ctx, { block, subtype, force, do_work }, context: LedgerContext) {
    if (force === true)
      throw new AppError('feature_disabled', 'Forced blocks are not accepted.', { body: { field: 'force' } })
    const read = readBlock(block, do_work === true ? NO_WORK : undefined)
    return { hash: await publish(ctx, context, { block: read, subtype, doesWork: do_work === true }) }
  },
  asNode: {
    check({ request }) {
      if (request.flag('force')) throw new LedgerRefusal(CONTROL_IS_DISABLED)
      readAsNode(request)
    },
    scopeWhen: ({ request }) => (request.flag('do_work') ? 'work' : 'read'),
    run: (ctx, { request }, context: LedgerContext) => publishAsNode(ctx, context, request),
  },
})

/** As a wallet writes what it has not computed. */
const NO_WORK = '0'.repeat(16)

const readAsNode = (request: NodeRequest) => request.block(request.flag('do_work') ? NO_WORK : undefined)

async function publish(
  ctx: Ctx,
  { prepareWork, workFor }: LedgerContext,
  { block: given, subtype: said, doesWork }: { block: Block; subtype: string | undefined; doesWork: boolean },
): Promise<string> {
  const { node, idempotency, caller } = ctx
  const subtype = said === '' ? undefined : said
  // Work is not part of the hash, so the block may be repeated with other work.
  const lacksWork = doesWork && given.work === NO_WORK && workFor !== undefined
  const block = lacksWork ? { ...given, work: await workFor(ctx, given, subtype) } : given
  const hash = await node.publish(block, subtype).catch((error: unknown) => {
    // An earlier run of this request published the block and died before it could answer.
    if (idempotency?.resumed === true && error instanceof LedgerRefusal && error.message === OLD_BLOCK)
      return hashBlock(block)
    throw error
  })
  // Prepare work for the account's next block, whose root is this block. Only callers with a secret key get this.
  const isKnown = caller.kind === 'account' && caller.access === 'secret-key'
  if (isKnown && block.type === 'state') prepareWork(toAddress(block.account), hash)
  return hash
}

/** Errors that a node reports before it passes a block to its ledger; with `async` it reports no later ones. */
const REFUSED_AT_ONCE = /^(Block work is less than threshold|Invalid (block|previous block|epoch link)\b.*)$/

async function publishAsNode(ctx: Ctx, context: LedgerContext, request: NodeRequest): Promise<Json> {
  const block = readAsNode(request)
  const subtype = request.find('subtype')
  const doesWork = request.flag('do_work')
  if (!request.flag('async')) return { hash: await publish(ctx, context, { block, subtype, doesWork }) }
  if (block.type !== 'state') throw new LedgerRefusal('Must be a state block')
  try {
    await publish(ctx, context, { block, subtype, doesWork })
  } catch (error) {
    if (!(error instanceof LedgerRefusal) || REFUSED_AT_ONCE.test(error.message)) throw error
    const isClaimed = subtype !== undefined && subtype !== ''
    if (isClaimed && error.message.endsWith('Gap previous block')) throw error
  }
  return { started: '1' }
}
