import { action } from '../../../kernel/action.ts'
import { field, input } from '../../../kernel/fields.ts'
import { canBeId } from '../../../kernel/route.ts'
import { swapNotFound } from '../errors.ts'
import { findSwap } from '../store.ts'
import { EXAMPLE, swapShown } from './nano-swap.ts'

export const nanoSwapStatus = action({
  name: 'nano_swap_status',
  summary: 'State of a swap: waiting, confirming, exchanging, sending, finished, failed, refunded or expired.',
  input: input({ id: field.id('Id of the swap.') }),
  example: { request: { id: EXAMPLE.id }, response: { ...EXAMPLE, status: 'finished' } },
  output: swapShown.schema,
  errors: {
    swap_not_found: 'There is no such swap.',
    feature_disabled: 'No swap provider is configured.',
  },
  auth: 'none',
  scope: 'read',
  async run({ store }, { id }) {
    const swap = canBeId(id) ? await findSwap(store.db, id) : undefined
    if (!swap) throw swapNotFound()
    return swapShown.show(swap)
  },
})
